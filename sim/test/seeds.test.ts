import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

interface Report {
  readonly digest: string
  readonly counts: { readonly kills: number; readonly connectors: number }
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

/** Servers are killed in both. In the first, events are delivered; the second has a connector. */
const SEEDS = [8, 7]

test(
  'A seed has the same answers, events and times in any process, after any other run',
  async () => {
    const [reports, elsewhere] = await Promise.all([run([...SEEDS, ...SEEDS]), run(SEEDS.toReversed())])
    for (const { wrong, counts } of reports) expect([wrong, counts.kills > 0]).toEqual([undefined, true])
    expect(reports.map(({ counts }) => counts.connectors)).toEqual([0, 1, 0, 1])
    const [first, second, ...again] = reports.map(({ digest }) => digest)
    expect(again).toEqual([first, second])
    expect(elsewhere.map(({ digest }) => digest)).toEqual([second, first])
    expect(second).not.toBe(first)
  },
  TEST_MS_MAX,
)
