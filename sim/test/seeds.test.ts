import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))

interface Report {
  readonly digest: string
  readonly counts: {
    readonly kills: number
    readonly connectors: number
    readonly fileBanks: number
    readonly chains: number
  }
  readonly wrong?: string
}

/** Runs seeds one after another in a separate process. */
async function runSeeds(seeds: readonly number[]): Promise<Report[]> {
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

/**
 * Servers are killed in all but the third seed. Events are delivered in the first; the second has a
 * connector, the third a bank's files, the fourth a chain.
 */
const SEEDS = [8, 7, 19, 25]

test('a simulation seed in which servers are killed keeps every guarantee', { tags: 'smoke' }, async () => {
  const [report] = await runSeeds(SEEDS.slice(0, 1))
  expect([report!.wrong, report!.counts.kills > 0]).toEqual([undefined, true])
})

test('a simulation seed produces the same responses, events and times in any process and after any other run', async () => {
  const [reports, elsewhere] = await Promise.all([
    runSeeds([...SEEDS, ...SEEDS]),
    runSeeds(SEEDS.toReversed()),
  ])
  expect(reports.map(({ wrong }) => wrong)).toEqual(reports.map(() => undefined))
  const runTwice = (once: readonly unknown[]) => [...once, ...once]
  expect(reports.map(({ counts }) => counts.kills > 0)).toEqual(runTwice([true, true, false, true]))
  expect(reports.map(({ counts }) => counts.connectors)).toEqual(runTwice([0, 1, 0, 0]))
  expect(reports.map(({ counts }) => counts.fileBanks)).toEqual(runTwice([0, 0, 1, 0]))
  expect(reports.map(({ counts }) => counts.chains)).toEqual(runTwice([0, 0, 0, 1]))
  const digests = reports.map(({ digest }) => digest)
  const first = digests.slice(0, SEEDS.length)
  expect(digests).toEqual(runTwice(first))
  expect(elsewhere.map(({ digest }) => digest)).toEqual(first.toReversed())
  expect(new Set(digests).size).toBe(SEEDS.length)
})
