import { type Config, readConfig } from '../../server/src/base/settings/config.ts'
import { createPlatform } from '../../server/src/edge/service/first-platform.ts'
import type { App } from '../../server/src/kernel/operation/app.ts'
import type { Database } from '../../server/src/storage/engine/port.ts'
import { install, realNow } from './machine/globals.ts'
import { Machine, Program, runAs } from './machine/machine.ts'
import { Network, type Weather } from './machine/network.ts'
import { Random } from './machine/random.ts'
import { chainRail } from './model/chain-rail.ts'
import { checkBooks, checkEnd } from './model/check.ts'
import { Backend } from './model/clients.ts'
import { fileRail } from './model/file-rail.ts'
import { openBank, RECEIVER } from './model/opening.ts'
import { pay } from './model/payers.ts'
import type { Bank, Rail } from './model/rail.ts'
import { connectorRail, sandboxRail } from './model/rails.ts'
import { Receiver } from './model/receiver.ts'
import { Seen } from './model/seen.ts'
import { ChainWorld, type ChainWorldHabits, chainHabitsOf } from './world/chain/chain-world.ts'
import { Connector, connectorEntry, type Habits, habitsOf } from './world/connector.ts'
import type { DatabaseFaults } from './world/database.ts'
import { type Engine, START_MS } from './world/engine.ts'
import { FileBank } from './world/file-bank/file-bank.ts'
import { type FileHabits, fileHabitsOf } from './world/file-bank/habits.ts'
import { productionSettings, serveRates, writeRails } from './world/production.ts'
import { Servers } from './world/servers.ts'

/** The result and statistics of a run. */
export interface RunResult {
  readonly seed: number
  /** The failure, or undefined if the run passed. */
  readonly wrong: unknown
  /**
   * A digest of all responses and events, including times. Two runs of the same seed have the same digest.
   */
  readonly digest: string
  readonly trace: readonly string[]
  readonly counts: {
    readonly calls: number
    readonly payments: number
    readonly kills: number
    /** 1 if a connector moved the money. */
    readonly connectors: number
    /** 1 if a bank's files moved the money. */
    readonly fileBanks: number
    /** 1 if a chain moved the money. */
    readonly chains: number
    readonly happened: number
    readonly virtualMs: number
    readonly realMs: number
  }
}

const PAYERS = 3
const PAYMENTS_EACH = 2
const KILLS_MAX = 3
const CALM: Weather = { latencyMsMax: 5, lostRequests: 0, lostAnswers: 0, silentLosses: 0 }
const SOUND: DatabaseFaults = { latencyMsMax: 2, conflicts: 0, losses: 0 }

/** The faults of a run. Each run leaves some out, so that one fault does not hide another. */
interface Faults {
  readonly weather: Weather
  readonly database: DatabaseFaults
  readonly servers: number
  /** The average time between kills of a server. */
  readonly killedEveryMs: number | undefined
  readonly clockJumpMs: number | undefined
  readonly hasEndpoint: boolean
  readonly webhooksRefused: number
  readonly money: Money
}

/**
 * The means by which a run moves money: the sandbox's own rail; a chain, in a sandbox so that customers can
 * sign in without mail; or, in production, a connector or a bank's files, with the given habits.
 */
type Money =
  | { readonly by: 'sandbox' }
  | { readonly by: 'connector'; readonly habits: Habits }
  | { readonly by: 'files'; readonly habits: FileHabits }
  | { readonly by: 'chain'; readonly habits: ChainWorldHabits }

/**
 * The fraction of runs that configure a rail; and of those, the fractions with a bank's files and with a
 * chain.
 */
const OWN_RAIL = 0.4
const FILES = 0.2
const CHAIN = 0.2

function chooseMoney(random: Random): Money {
  if (!random.chance(OWN_RAIL)) return { by: 'sandbox' }
  const kind = random.integerBelow(1_000) / 1_000
  if (kind < FILES) return { by: 'files', habits: fileHabitsOf(random) }
  if (kind < FILES + CHAIN) return { by: 'chain', habits: chainHabitsOf(random) }
  return { by: 'connector', habits: habitsOf(random) }
}

function chooseFaults(random: Random): Faults {
  const pickShare = (max: number) => (random.chance(0.5) ? (max * random.integerBelow(1_000)) / 1_000 : 0)
  const slow = random.chance(0.3)
  const weather: Weather = {
    latencyMsMax: slow ? 3_000 : 40,
    lostRequests: pickShare(0.1),
    lostAnswers: pickShare(0.2),
    silentLosses: 0.3,
  }
  const others = {
    database: { latencyMsMax: random.pick([1, 5, 50]), conflicts: pickShare(0.1), losses: pickShare(0.05) },
    servers: 1 + random.integerBelow(2),
    killedEveryMs: random.chance(0.6) ? 300 + random.integerBelow(4_000) : undefined,
    clockJumpMs: random.chance(0.3) ? random.integerBelow(600_000) : undefined,
    hasEndpoint: random.chance(0.4),
    webhooksRefused: pickShare(0.4),
    money: chooseMoney(random),
  }
  return { ...others, weather: others.money.by === 'chain' ? softenWeather(weather) : weather }
}

/**
 * Makes the network more reliable, because a step at a chain calls its nodes ten times or more in a row and
 * starts over if one does not respond.
 */
function softenWeather({ latencyMsMax, lostRequests, lostAnswers, silentLosses }: Weather): Weather {
  return {
    latencyMsMax: Math.min(latencyMsMax, 300),
    lostRequests: lostRequests / 4,
    lostAnswers: lostAnswers / 4,
    silentLosses,
  }
}

/** The settings of runs in a sandbox, in a sandbox with a rails file, and in production. */
export interface Configs {
  readonly sandbox: Config
  readonly sandboxWithRails: Config
  readonly production: Config
}

/** The settings of all runs: the environment, except for what the simulation replaces. */
export function configsOf(environment: NodeJS.ProcessEnv, folder: string): Configs {
  const settings = { ...environment }
  for (const name of BROUGHT) delete settings[name]
  const own = {
    LOG_LEVEL: 'silent',
    ...settings,
    COUNTERSIGN_DATA_DIR: folder,
    COUNTERSIGN_MASTER_KEY: '5a'.repeat(32),
  }
  const production = productionSettings(folder)
  const { RAILS_FILE = '' } = production
  return {
    sandbox: readConfig(own),
    sandboxWithRails: readConfig({ ...own, RAILS_FILE }),
    production: readConfig({ ...own, ...production }),
  }
}

const MODES = {
  sandbox: 'sandbox',
  chain: 'sandboxWithRails',
  connector: 'production',
  files: 'production',
} as const satisfies Record<Money['by'], keyof Configs>

const BROUGHT = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DATABASE_SCHEMA',
  'PUBLIC_URL',
  'COUNTERSIGN_MODE',
  'RAILS_FILE',
  'RATES_URL',
]

/** Runs one seed on an empty database. The result depends only on the seed, the settings and the code. */
export async function runSeed(seed: number, engine: Engine, configs: Configs): Promise<RunResult> {
  const startedMs = realNow()
  await engine.clear()
  const machine = new Machine(new Random(seed), START_MS)
  const network = new Network(machine, CALM)
  install(machine, network)
  const faults = chooseFaults(machine.random)
  const now = { faults: SOUND }
  const { money } = faults
  const mode = MODES[money.by]
  const config = configs[mode]
  const servers = new Servers(machine, network, engine, config, () => now.faults)
  const outside = await openOutside({ machine, network, engine }, faults)
  const seen = new Seen(machine)
  const receiver = new Receiver(machine, seen)
  network.hosts.set(RECEIVER, receiver.answer)
  let bank: Bank | undefined
  let wrong: unknown
  try {
    await machine.runUntil(
      (async () => {
        const service = await servers.start(faults.servers)
        await machine.pause(0)
        const authorization = await buildAuthorization(service.app, mode === 'production')
        await outside.start(service.app)
        const backend = new Backend(machine, servers, { authorization, seen })
        bank = await openBank(backend, outside.rail(backend), faults.hasEndpoint)
        const key = service.app.enclave.quorumPublicKey
        const calm = startFaults(faults, { machine, network, servers, outside, receiver, now })
        await makePayments(bank)
        calm()
        await checkEnd(bank, faults.hasEndpoint ? receiver : undefined)
        await outside.rest?.()
        await outside.checkBooks?.(engine.db)
        await checkBooks(engine.db, key)
      })(),
    )
  } catch (error) {
    wrong = error
  }
  servers.end()
  outside.end()
  return {
    seed,
    wrong,
    digest: seen.digest,
    trace: seen.trace,
    counts: {
      calls: seen.answers,
      payments: bank?.model.payments.length ?? 0,
      kills: servers.kills,
      connectors: money.by === 'connector' ? 1 : 0,
      fileBanks: money.by === 'files' ? 1 : 0,
      chains: money.by === 'chain' ? 1 : 0,
      happened: machine.happened,
      virtualMs: machine.nowMs - machine.startMs,
      realMs: realNow() - startedMs,
    },
  }
}

/** A new platform's credentials, as an Authorization header. */
async function buildAuthorization(app: App, isProduction: boolean): Promise<string> {
  const { tokenId, clientSecret } = await runAs(new Program('operator'), () =>
    createPlatform(app, 'Simulated', isProduction),
  )
  return `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
}

/** The simulated system that moves money outside the servers. */
interface Outside {
  start(app: App): Promise<void>
  rail(backend: Backend): Rail
  /** Kills its program, if there is one. */
  kill?(): void
  /** True while it injects no faults. */
  isCalm?: boolean
  /** Compares its own record of the servers' money with the ledger. Throws Wrong. */
  checkBooks?(db: Database): Promise<void>
  /** Lets time pass until the servers have done the work that became due during a clock jump. */
  rest?(): Promise<void>
  end(): void
}

const REST_MS = 5_000
/** Longer than a killed server's claim lasts. */
const CLAIMED_MS = 60_000

async function openOutside(
  { machine, network, engine }: Pick<World, 'machine' | 'network'> & { readonly engine: Engine },
  { money, hasEndpoint }: Faults,
): Promise<Outside> {
  if (money.by === 'sandbox') return { start: async () => {}, rail: sandboxRail, end() {} }
  if (money.by === 'chain') {
    const world = new ChainWorld(machine, network, money.habits)
    await writeRails(engine.folder, [world.entry()])
    return {
      start: async (app) => world.start(app),
      rail: (backend) => chainRail(backend, world, hasEndpoint),
      set isCalm(isCalm: boolean) {
        world.isCalm = isCalm
      },
      checkBooks: (db) => world.checkBooks(db),
      end: () => world.end(),
    }
  }
  serveRates(network)
  if (money.by === 'connector') {
    await writeRails(engine.folder, [connectorEntry()])
    const connector = new Connector(machine, network, engine.folder, money.habits)
    return {
      start: () => connector.start(),
      rail: (backend) => connectorRail(backend, connector),
      kill: () => connector.kill(),
      end: () => connector.end(),
    }
  }
  // A platform that decides about incoming money returns what it rejects, so the payer has to be known.
  const files = new FileBank(machine, engine.folder, money.habits, hasEndpoint)
  await writeRails(engine.folder, [files.entry])
  return {
    start: async () => files.start(),
    rail: (backend) => fileRail(backend, files),
    rest: () => {
      machine.clock.offsetMs += CLAIMED_MS
      return machine.pause(REST_MS)
    },
    end: () => files.end(),
  }
}

async function makePayments(bank: Bank): Promise<void> {
  const { random } = bank.backend
  await Promise.all(Array.from({ length: PAYERS }, () => pay(bank, random.fork(), PAYMENTS_EACH)))
}

interface World {
  readonly machine: Machine
  readonly network: Network
  readonly servers: Servers
  readonly outside: Outside
  readonly receiver: Receiver
  readonly now: { faults: DatabaseFaults }
}

/** Starts the faults. Returns a function that ends them. */
function startFaults(
  faults: Faults,
  { machine, network, servers, outside, receiver, now }: World,
): () => void {
  let isOver = false
  network.weather = faults.weather
  now.faults = faults.database
  receiver.refused = faults.webhooksRefused
  outside.isCalm = false
  const { killedEveryMs, clockJumpMs } = faults
  const killLater = (everyMs: number): void => {
    machine.runAfter(machine.random.integerBelow(2 * everyMs), () => {
      if (isOver || servers.kills === KILLS_MAX) return
      if (outside.kill && machine.random.chance(0.3)) outside.kill()
      else servers.kill()
      killLater(everyMs)
    })
  }
  if (killedEveryMs !== undefined) killLater(killedEveryMs)
  if (clockJumpMs !== undefined)
    machine.runAfter(machine.random.integerBelow(10_000), () => {
      machine.clock.offsetMs += clockJumpMs
    })
  return () => {
    isOver = true
    network.weather = CALM
    now.faults = SOUND
    receiver.refused = 0
    outside.isCalm = true
  }
}
