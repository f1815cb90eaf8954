import { type Config, readConfig } from '../../server/src/base/settings/config.ts'
import { createPlatform } from '../../server/src/edge/service/first-platform.ts'
import type { App } from '../../server/src/kernel/operation/app.ts'
import type { Database } from '../../server/src/storage/engine/port.ts'
import { install, realNow } from './machine/globals.ts'
import { Machine, Program, runAs } from './machine/machine.ts'
import { Network, type NetworkConditions } from './machine/network.ts'
import { Random } from './machine/random.ts'
import { createChainRail } from './model/chain-rail.ts'
import { checkEnd, checkLedger } from './model/check.ts'
import { Backend } from './model/clients.ts'
import { createFileRail } from './model/file-rail.ts'
import { openBank, RECEIVER } from './model/opening.ts'
import { payRepeatedly } from './model/payers.ts'
import type { Bank, Rail } from './model/rail.ts'
import { createConnectorRail, createSandboxRail } from './model/rails.ts'
import { Receiver } from './model/receiver.ts'
import { RunLog } from './model/run-log.ts'
import { ChainWorld, type ChainWorldBehavior, chooseChainBehavior } from './world/chain/chain-world.ts'
import {
  buildConnectorEntry,
  Connector,
  type ConnectorBehavior,
  chooseConnectorBehavior,
} from './world/connector.ts'
import type { DatabaseFaults } from './world/database.ts'
import { type Engine, START_MS } from './world/engine.ts'
import { chooseFileBankBehavior, type FileBankBehavior } from './world/file-bank/behavior.ts'
import { FileBank } from './world/file-bank/file-bank.ts'
import { buildProductionSettings, serveRates, writeRails } from './world/production.ts'
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
    readonly eventCount: number
    readonly virtualMs: number
    readonly realMs: number
  }
}

const PAYERS = 3
const PAYMENTS_EACH = 2
const KILLS_MAX = 3
const GOOD_CONDITIONS: NetworkConditions = {
  latencyMsMax: 5,
  lostRequests: 0,
  lostResponses: 0,
  silentLosses: 0,
}
const NO_FAULTS: DatabaseFaults = { latencyMsMax: 2, conflicts: 0, losses: 0 }

/** The faults of a run. Each run leaves some out, so that one fault does not mask another. */
interface Faults {
  readonly conditions: NetworkConditions
  readonly database: DatabaseFaults
  readonly servers: number
  /** The average time between kills of a server. */
  readonly killIntervalMs: number | undefined
  readonly clockJumpMs: number | undefined
  readonly hasEndpoint: boolean
  readonly webhooksRefused: number
  readonly money: Money
}

/**
 * The means by which a run moves money: the sandbox's own rail; a chain, in a sandbox so that customers can
 * sign in without email; or, in production, a connector or a bank's files.
 */
type Money =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'connector'; readonly behavior: ConnectorBehavior }
  | { readonly kind: 'files'; readonly behavior: FileBankBehavior }
  | { readonly kind: 'chain'; readonly behavior: ChainWorldBehavior }

/**
 * The fraction of runs that configure a rail, and among those the fractions with a bank's files and with a
 * chain.
 */
const CONFIGURED_RAIL_SHARE = 0.4
const FILES_SHARE = 0.2
const CHAIN_SHARE = 0.2

function chooseMoney(random: Random): Money {
  if (!random.chance(CONFIGURED_RAIL_SHARE)) return { kind: 'sandbox' }
  const kind = random.integerBelow(1_000) / 1_000
  if (kind < FILES_SHARE) return { kind: 'files', behavior: chooseFileBankBehavior(random) }
  if (kind < FILES_SHARE + CHAIN_SHARE) return { kind: 'chain', behavior: chooseChainBehavior(random) }
  return { kind: 'connector', behavior: chooseConnectorBehavior(random) }
}

function chooseFaults(random: Random): Faults {
  const pickShare = (max: number) => (random.chance(0.5) ? (max * random.integerBelow(1_000)) / 1_000 : 0)
  const isSlow = random.chance(0.3)
  const conditions: NetworkConditions = {
    latencyMsMax: isSlow ? 3_000 : 40,
    lostRequests: pickShare(0.1),
    lostResponses: pickShare(0.2),
    silentLosses: 0.3,
  }
  const chosen = {
    database: { latencyMsMax: random.pick([1, 5, 50]), conflicts: pickShare(0.1), losses: pickShare(0.05) },
    servers: 1 + random.integerBelow(2),
    killIntervalMs: random.chance(0.6) ? 300 + random.integerBelow(4_000) : undefined,
    clockJumpMs: random.chance(0.3) ? random.integerBelow(600_000) : undefined,
    hasEndpoint: random.chance(0.4),
    webhooksRefused: pickShare(0.4),
    money: chooseMoney(random),
  }
  return { ...chosen, conditions: chosen.money.kind === 'chain' ? softenConditions(conditions) : conditions }
}

/**
 * Makes the network more reliable, because one step of the chain worker makes ten or more calls in a row and
 * starts over if a node does not respond.
 */
function softenConditions({
  latencyMsMax,
  lostRequests,
  lostResponses,
  silentLosses,
}: NetworkConditions): NetworkConditions {
  return {
    latencyMsMax: Math.min(latencyMsMax, 300),
    lostRequests: lostRequests / 4,
    lostResponses: lostResponses / 4,
    silentLosses,
  }
}

/** The settings of runs in a sandbox, in a sandbox with a rails file, and in production. */
export interface Configs {
  readonly sandbox: Config
  readonly sandboxWithRails: Config
  readonly production: Config
}

/** Reads the settings of all runs from the environment, except for those that the simulation replaces. */
export function readConfigs(environment: NodeJS.ProcessEnv, folder: string): Configs {
  const settings = { ...environment }
  for (const name of REPLACED_SETTINGS) delete settings[name]
  const common = {
    LOG_LEVEL: 'silent',
    ...settings,
    COUNTERSIGN_DATA_DIR: folder,
    COUNTERSIGN_MASTER_KEY: '5a'.repeat(32),
  }
  const production = buildProductionSettings(folder)
  const { RAILS_FILE = '' } = production
  return {
    sandbox: readConfig(common),
    sandboxWithRails: readConfig({ ...common, RAILS_FILE }),
    production: readConfig({ ...common, ...production }),
  }
}

const MODES = {
  sandbox: 'sandbox',
  chain: 'sandboxWithRails',
  connector: 'production',
  files: 'production',
} as const satisfies Record<Money['kind'], keyof Configs>

const REPLACED_SETTINGS = [
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
  const network = new Network(machine, GOOD_CONDITIONS)
  install(machine, network)
  const faults = chooseFaults(machine.random)
  const now = { faults: NO_FAULTS }
  const { money } = faults
  const mode = MODES[money.kind]
  const config = configs[mode]
  const servers = new Servers(machine, network, engine, config, () => now.faults)
  const outside = await openOutside({ machine, network, engine }, faults)
  const log = new RunLog(machine)
  const receiver = new Receiver(machine, log)
  network.hosts.set(RECEIVER, receiver.respond)
  let bank: Bank | undefined
  let wrong: unknown
  try {
    await machine.runUntil(
      (async () => {
        const service = await servers.start(faults.servers)
        await machine.pause(0)
        const authorization = await buildAuthorization(service.app, mode === 'production')
        await outside.start(service.app)
        const backend = new Backend(machine, servers, { authorization, log })
        bank = await openBank(backend, outside.rail(backend), faults.hasEndpoint)
        const key = service.app.enclave.quorumPublicKey
        const stopFaults = startFaults(faults, { machine, network, servers, outside, receiver, now })
        await makePayments(bank)
        stopFaults()
        await checkEnd(bank, faults.hasEndpoint ? receiver : undefined)
        await outside.settle?.()
        await outside.compareWithLedger?.(engine.db)
        await checkLedger(engine.db, key)
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
    digest: log.digest,
    trace: log.lines,
    counts: {
      calls: log.responses,
      payments: bank?.model.payments.length ?? 0,
      kills: servers.kills,
      connectors: money.kind === 'connector' ? 1 : 0,
      fileBanks: money.kind === 'files' ? 1 : 0,
      chains: money.kind === 'chain' ? 1 : 0,
      eventCount: machine.eventCount,
      virtualMs: machine.nowMs - machine.startMs,
      realMs: realNow() - startedMs,
    },
  }
}

/** Creates a platform, and returns its credentials as an Authorization header. */
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
  /** Kills the system's program, if it has one. */
  kill?(): void
  /** True while no faults are injected. */
  isFaultFree?: boolean
  /** Compares the system's own record of the servers' money with the ledger. Throws Violation. */
  compareWithLedger?(db: Database): Promise<void>
  /** Lets time pass until the servers have done the work that became due during a clock jump. */
  settle?(): Promise<void>
  end(): void
}

const SETTLE_MS = 5_000
/** Longer than a killed server's claim lasts. */
const CLAIM_EXPIRES_MS = 60_000

async function openOutside(
  { machine, network, engine }: Pick<World, 'machine' | 'network'> & { readonly engine: Engine },
  { money, hasEndpoint }: Faults,
): Promise<Outside> {
  if (money.kind === 'sandbox') return { start: async () => {}, rail: createSandboxRail, end() {} }
  if (money.kind === 'chain') {
    const world = new ChainWorld(machine, network, money.behavior)
    await writeRails(engine.folder, [world.entry()])
    return {
      start: async (app) => world.start(app),
      rail: (backend) => createChainRail(backend, world, hasEndpoint),
      set isFaultFree(isFaultFree: boolean) {
        world.isFaultFree = isFaultFree
      },
      compareWithLedger: (db) => world.compareWithLedger(db),
      end: () => world.end(),
    }
  }
  serveRates(network)
  if (money.kind === 'connector') {
    await writeRails(engine.folder, [buildConnectorEntry()])
    const connector = new Connector(machine, network, engine.folder, money.behavior)
    return {
      start: () => connector.start(),
      rail: (backend) => createConnectorRail(backend, connector),
      kill: () => connector.kill(),
      end: () => connector.end(),
    }
  }
  // A platform that decides about incoming money returns what it rejects, so the payer must be known.
  const files = new FileBank(machine, engine.folder, money.behavior, hasEndpoint)
  await writeRails(engine.folder, [files.entry])
  return {
    start: async () => files.start(),
    rail: (backend) => createFileRail(backend, files),
    settle: () => {
      machine.clock.offsetMs += CLAIM_EXPIRES_MS
      return machine.pause(SETTLE_MS)
    },
    end: () => files.end(),
  }
}

async function makePayments(bank: Bank): Promise<void> {
  const { random } = bank.backend
  await Promise.all(Array.from({ length: PAYERS }, () => payRepeatedly(bank, random.fork(), PAYMENTS_EACH)))
}

interface World {
  readonly machine: Machine
  readonly network: Network
  readonly servers: Servers
  readonly outside: Outside
  readonly receiver: Receiver
  readonly now: { faults: DatabaseFaults }
}

/** Starts the faults. Returns a function that stops them. */
function startFaults(
  faults: Faults,
  { machine, network, servers, outside, receiver, now }: World,
): () => void {
  let isFinished = false
  network.conditions = faults.conditions
  now.faults = faults.database
  receiver.refused = faults.webhooksRefused
  outside.isFaultFree = false
  const { killIntervalMs, clockJumpMs } = faults
  const scheduleKill = (everyMs: number): void => {
    machine.runAfter(machine.random.integerBelow(2 * everyMs), () => {
      if (isFinished || servers.kills === KILLS_MAX) return
      if (outside.kill && machine.random.chance(0.3)) outside.kill()
      else servers.kill()
      scheduleKill(everyMs)
    })
  }
  if (killIntervalMs !== undefined) scheduleKill(killIntervalMs)
  if (clockJumpMs !== undefined)
    machine.runAfter(machine.random.integerBelow(10_000), () => {
      machine.clock.offsetMs += clockJumpMs
    })
  return () => {
    isFinished = true
    network.conditions = GOOD_CONDITIONS
    now.faults = NO_FAULTS
    receiver.refused = 0
    outside.isFaultFree = true
  }
}
