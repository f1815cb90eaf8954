import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { realNow } from './machine/globals.ts'
import { type RunResult, readConfigs, runSeed } from './run.ts'
import { openEngine } from './world/engine.ts'

const USAGE = `npm run sim -- [--seed N] [--seeds N] [--from N] [--for 30s|10m|1h] [--jobs N] [--trace] [--until-wrong]

  --seed N       runs one seed, and prints its trace if it fails or if --trace is set
  --seeds N      runs N seeds (default 1000), starting at --from (default 1)
  --for T        runs seeds for this time
  --jobs N       runs N processes (default: one per core)
  --until-wrong  stops after the first failure

The environment may contain settings of the server.
`

/** Each core runs its own process, which leaves no core for garbage collection threads. */
const NODE_OPTIONS = ['--max-semi-space-size=64', '--single-threaded-gc']

/** The result of one seed, as reported by a child process. */
type Report = Pick<RunResult, 'seed' | 'digest' | 'counts'> & { readonly wrong: string | undefined }

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    for: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    trace: { type: 'boolean', default: false },
    'until-wrong': { type: 'boolean', default: false },
    runs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) process.stdout.write(USAGE)
else if (options.runs) await runOnDemand()
else if (options.seed !== undefined) process.exitCode = await runAndReport(parseNumber('seed', options.seed))
else process.exitCode = await runMany()

function parseNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} is a number, not ${text}.\n${USAGE}`)
  process.exit(2)
}

function parseMs(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as 's']
  process.stderr.write(`--for is a time such as 30s, 10m or 1h, not ${text}.\n${USAGE}`)
  process.exit(2)
}

async function runAndReport(seed: number): Promise<number> {
  const engine = await openEngine()
  const result = await runSeed(seed, engine, readConfigs(process.env, engine.folder))
  if (options.trace || result.wrong) process.stdout.write(`${result.trace.join('\n')}\n`)
  const { wrong, counts } = toReport(result)
  process.stdout.write(`${wrong ?? 'Nothing was wrong.'}\n`)
  process.stdout.write(
    `Seed ${seed}: ${counts.calls} responses, ${counts.payments} payments, ${counts.kills} kills, digest ${result.digest}\n`,
  )
  await engine.close()
  return wrong === undefined ? 0 : 1
}

function toReport({ seed, digest, counts, wrong }: RunResult): Report {
  const text = wrong instanceof Error ? (wrong.name === 'Violation' ? wrong.message : wrong.stack) : wrong
  return { seed, digest, counts, wrong: text === undefined ? undefined : String(text) }
}

/** Runs the seeds that the parent process sends. */
async function runOnDemand(): Promise<void> {
  const engine = await openEngine()
  const configs = readConfigs(process.env, engine.folder)
  process.on('message', async (seed: number) => {
    process.send!(toReport(await runSeed(seed, engine, configs)))
  })
  process.on('disconnect', () => engine.close().finally(() => process.exit()))
  process.send!('ready')
}

async function runMany(): Promise<number> {
  const startedMs = realNow()
  const from = parseNumber('from', options.from)
  const seeds = parseNumber('seeds', options.seeds)
  const untilMs = options.for === undefined ? undefined : startedMs + parseMs(options.for)
  let next = from
  const totals = {
    runs: 0,
    wrong: 0,
    calls: 0,
    payments: 0,
    kills: 0,
    connectors: 0,
    fileBanks: 0,
    chains: 0,
    virtualMs: 0,
  }
  const takeSeed = (): number | undefined => {
    if (options['until-wrong'] && totals.wrong > 0) return undefined
    const isFinished = untilMs === undefined ? next >= from + seeds : realNow() >= untilMs
    return isFinished ? undefined : next++
  }
  const record = ({ seed, wrong, counts }: Report) => {
    totals.runs += 1
    totals.calls += counts.calls
    totals.payments += counts.payments
    totals.kills += counts.kills
    totals.connectors += counts.connectors
    totals.fileBanks += counts.fileBanks
    totals.chains += counts.chains
    totals.virtualMs += counts.virtualMs
    if (wrong === undefined) return
    totals.wrong += 1
    process.stdout.write(`\nSeed ${seed}: ${wrong}\n  Reproduce it with: npm run sim -- --seed ${seed}\n`)
  }
  await Promise.all(
    Array.from({ length: parseNumber('jobs', options.jobs) }, () => runProcess(takeSeed, record)),
  )
  const { runs, wrong, calls, payments, kills, connectors, fileBanks, chains, virtualMs } = totals
  const hours = (virtualMs / 3_600_000).toFixed(1)
  process.stdout.write(
    `${runs} seeds starting at ${from}, ${connectors} of them with a connector, ${fileBanks} with a bank's files and ${chains} with a chain, in ${Math.round((realNow() - startedMs) / 1_000)} s: ` +
      `${calls} responses, ${payments} payments, ${kills} kills, ${hours} simulated hours.\n` +
      `${runs - wrong} passed, ${wrong} failed\n`,
  )
  return wrong === 0 && runs > 0 ? 0 : 1
}

/** Starts a process that runs one seed after another. An unexpected exit counts as a failure of its seed. */
function runProcess(takeSeed: () => number | undefined, record: (report: Report) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['--runs'], { execArgv: [...NODE_OPTIONS] })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`A process of the simulation ended with ${signal ?? code}.`))
    })
    child.on('message', (message: Report | 'ready') => {
      if (message !== 'ready') record(message)
      const seed = takeSeed()
      if (seed === undefined) child.disconnect()
      else child.send(seed)
    })
  })
}
