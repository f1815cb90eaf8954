import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The CPU time of a test file in seconds: of its worker and of the ended processes that it started. */
    cpuSeconds?: number
  }
}

interface Worker {
  readonly children: Set<ChildProcess>
  cpuSeconds: number
}

/** vitest runs this file again for each test file; the worker stays. */
const shared = globalThis as { countersignWorker?: Worker }
shared.countersignWorker ??= watchChildren()
const worker = shared.countersignWorker

/** A thread has no separate CPU time here: it counts as the main process. */
if (isMainThread)
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  afterAll(({}, suite) => {
    const now = cpuSecondsOfThisProcess()
    suite.file.meta.cpuSeconds = now - worker.cpuSeconds
    worker.cpuSeconds = now
  })

/** Every process that a test starts ends with its worker, also after a time-out: nothing is left running. */
function watchChildren(): Worker {
  const children = new Set<ChildProcess>()
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    children.add(child)
    child.once('exit', () => children.delete(child))
  })
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL')
  })
  // vitest ends its workers so.
  process.on('SIGTERM', () => process.exit(143))
  return { children, cpuSeconds: 0 }
}

const TICKS_PER_SECOND = 100

/** Of this process since its start, with its children that have ended. Linux only: elsewhere without the children. */
function cpuSecondsOfThisProcess(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    // utime, stime, cutime and cstime of proc(5), counted from the third field on.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}
