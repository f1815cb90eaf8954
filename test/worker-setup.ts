import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /**
     * CPU time of a test file in seconds, summed over its worker and the processes that it started and that
     * have ended.
     */
    cpuSeconds?: number
  }
}

interface Worker {
  readonly children: Set<ChildProcess>
  cpuSeconds: number
}

/** Stored globally, because vitest runs this file again for each test file in the same worker. */
const shared = globalThis as { countersignWorker?: Worker }
shared.countersignWorker ??= watchChildren()
const worker = shared.countersignWorker

/** The CPU time of threads is not measured separately, because it counts toward the main process. */
if (isMainThread)
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  afterAll(({}, suite) => {
    const now = cpuSecondsOfThisProcess()
    suite.file.meta.cpuSeconds = now - worker.cpuSeconds
    worker.cpuSeconds = now
  })

/** Makes sure that every process started by a test ends with its worker, also after a timeout. */
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
  // vitest terminates its workers with this signal.
  process.on('SIGTERM', () => process.exit(143))
  return { children, cpuSeconds: 0 }
}

const TICKS_PER_SECOND = 100

/** CPU seconds of this process since its start. On Linux, they include children that have ended. */
function cpuSecondsOfThisProcess(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    // proc(5): utime, stime, cutime and cstime, counted from the third field on.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}
