import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

interface Report {
  readonly digest: string
  readonly counts: { readonly kills: number }
  readonly wrong?: string
}

/** Runs seeds one after the other in a process of their own. */
async function run(seeds: readonly number[]): Promise<Report[]> {
  const program = fork(PROGRAM, ['--runs'], { execArgv: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] })
  await once(program, 'message')
  const reports: Report[] = []
  for (const seed of seeds) {
    program.send(seed)
    reports.push((await once(program, 'message'))[0])
  }
  program.disconnect()
  await once(program, 'exit')
  return reports
}

/** Two databases are opened: some seconds of a core, which may be busy. */
const TEST_MS_MAX = 300_000

/** A server is killed in it, and events are delivered. */
const SEED = 8

test(
  'A seed has the same answers, events and times in any process, after any other run',
  async () => {
    const [[first, other, again], [elsewhere]] = await Promise.all([run([SEED, SEED + 1, SEED]), run([SEED])])
    expect(first!.wrong).toBeUndefined()
    expect(first!.counts.kills).toBeGreaterThan(0)
    expect(again!.digest).toBe(first!.digest)
    expect(elsewhere!.digest).toBe(first!.digest)
    expect(other!.digest).not.toBe(first!.digest)
  },
  TEST_MS_MAX,
)
