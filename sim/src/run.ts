import { createPlatform } from '../../server/src/service/first-platform.ts'
import { type Config, readConfig } from '../../server/src/settings/config.ts'
import { install, realNow } from './machine/globals.ts'
import { Machine, Program, runAs } from './machine/machine.ts'
import { Network, type Weather } from './machine/network.ts'
import { Random } from './machine/random.ts'
import { checkBooks, checkEnd } from './model/check.ts'
import { Backend } from './model/clients.ts'
import { openBank, RECEIVER } from './model/opening.ts'
import { type Bank, pay } from './model/payers.ts'
import { connectorRail, sandboxRail } from './model/rails.ts'
import { Receiver } from './model/receiver.ts'
import { Seen } from './model/seen.ts'
import { Connector, connectorSettings, type Habits, habitsOf, writeRails } from './world/connector.ts'
import type { DatabaseFaults } from './world/database.ts'
import { type Engine, START_MS } from './world/engine.ts'
import { Servers } from './world/servers.ts'

/** A run: what it found, and what happened in it. */
export interface Ran {
  readonly seed: number
  /** What must not be; undefined where everything was right. */
  readonly wrong: unknown
  /** Of all answers and events, with their times: two runs of one seed have the same. */
  readonly digest: string
  readonly trace: readonly string[]
  readonly counts: {
    readonly calls: number
    readonly payments: number
    readonly kills: number
    /** 1 where money moved by a connector, 0 in the sandbox. */
    readonly connectors: number
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

/** What goes wrong in a run. A part of it is left out in each, so that one fault does not hide the other. */
interface Troubles {
  readonly weather: Weather
  readonly database: DatabaseFaults
  readonly servers: number
  /** A server is killed after about so long, again and again. */
  readonly killedEveryMs: number | undefined
  readonly clockJumpMs: number | undefined
  readonly hasEndpoint: boolean
  readonly webhooksRefused: number
  /** In production, money moves by a connector with these habits; undefined in the sandbox. */
  readonly connector: Habits | undefined
}

function troublesOf(random: Random): Troubles {
  const share = (max: number) => (random.chance(0.5) ? (max * random.below(1_000)) / 1_000 : 0)
  const slow = random.chance(0.3)
  return {
    weather: {
      latencyMsMax: slow ? 3_000 : 40,
      lostRequests: share(0.1),
      lostAnswers: share(0.2),
      silentLosses: 0.3,
    },
    database: { latencyMsMax: random.pick([1, 5, 50]), conflicts: share(0.1), losses: share(0.05) },
    servers: 1 + random.below(2),
    killedEveryMs: random.chance(0.6) ? 300 + random.below(4_000) : undefined,
    clockJumpMs: random.chance(0.3) ? random.below(600_000) : undefined,
    hasEndpoint: random.chance(0.4),
    webhooksRefused: share(0.4),
    connector: random.chance(0.4) ? habitsOf(random) : undefined,
  }
}

/** The settings of runs in the sandbox, and of those in production with a connector. */
export interface Configs {
  readonly sandbox: Config
  readonly connector: Config
}

/** The settings of all runs: those of the environment, but for what the simulation brings itself. */
export function configsOf(environment: NodeJS.ProcessEnv, folder: string): Configs {
  const settings = { ...environment }
  for (const name of BROUGHT) delete settings[name]
  const own = {
    LOG_LEVEL: 'silent',
    ...settings,
    COUNTERSIGN_DATA_DIR: folder,
    COUNTERSIGN_MASTER_KEY: '5a'.repeat(32),
  }
  return { sandbox: readConfig(own), connector: readConfig({ ...own, ...connectorSettings(folder) }) }
}

const BROUGHT = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'PUBLIC_URL',
  'COUNTERSIGN_MODE',
  'RAILS_FILE',
  'RATES_URL',
]

/** One run on an empty database. It follows from its seed, from the settings and from the code alone. */
export async function runSeed(seed: number, engine: Engine, configs: Configs): Promise<Ran> {
  const begunMs = realNow()
  await engine.clear()
  const machine = new Machine(new Random(seed), START_MS)
  const network = new Network(machine, CALM)
  install(machine, network)
  const troubles = troublesOf(machine.random)
  if (troubles.connector) await writeRails(engine.folder)
  const now = { faults: SOUND }
  const config = configs[troubles.connector ? 'connector' : 'sandbox']
  const servers = new Servers(machine, network, engine, config, () => now.faults)
  const connector = troubles.connector && new Connector(machine, network, engine.folder, troubles.connector)
  const seen = new Seen(machine)
  const receiver = new Receiver(machine, seen)
  network.hosts.set(RECEIVER, receiver.answer)
  let bank: Bank | undefined
  let wrong: unknown
  try {
    await machine.live(
      (async () => {
        const service = await servers.start(troubles.servers)
        await machine.pause(0)
        const { tokenId, clientSecret } = await runAs(new Program('operator'), () =>
          createPlatform(service.app, 'Simulated', connector !== undefined),
        )
        await connector?.start()
        const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
        const backend = new Backend(machine, servers, { authorization, seen })
        const rail = connector ? connectorRail(backend, connector) : sandboxRail(backend)
        bank = await openBank(backend, rail, troubles.hasEndpoint)
        const key = service.app.enclave.quorumPublicKey
        const calm = begin(troubles, { machine, network, servers, connector, receiver, now })
        await work(bank)
        calm()
        await checkEnd(bank, troubles.hasEndpoint ? receiver : undefined)
        await checkBooks(engine.db, key)
      })(),
    )
  } catch (error) {
    wrong = error
  }
  servers.end()
  connector?.end()
  return {
    seed,
    wrong,
    digest: seen.digest,
    trace: seen.trace,
    counts: {
      calls: seen.answers,
      payments: bank?.model.payments.length ?? 0,
      kills: servers.kills,
      connectors: connector ? 1 : 0,
      happened: machine.happened,
      virtualMs: machine.nowMs - machine.startMs,
      realMs: realNow() - begunMs,
    },
  }
}

async function work(bank: Bank): Promise<void> {
  const { random } = bank.backend
  await Promise.all(Array.from({ length: PAYERS }, () => pay(bank, random.fork(), PAYMENTS_EACH)))
}

interface World {
  readonly machine: Machine
  readonly network: Network
  readonly servers: Servers
  readonly connector: Connector | undefined
  readonly receiver: Receiver
  readonly now: { faults: DatabaseFaults }
}

/** The troubles begin. Returns what ends them. */
function begin(
  troubles: Troubles,
  { machine, network, servers, connector, receiver, now }: World,
): () => void {
  let isOver = false
  network.weather = troubles.weather
  now.faults = troubles.database
  receiver.refused = troubles.webhooksRefused
  const { killedEveryMs, clockJumpMs } = troubles
  const killLater = (everyMs: number): void => {
    machine.after(machine.random.below(2 * everyMs), () => {
      if (isOver || servers.kills === KILLS_MAX) return
      if (connector && machine.random.chance(0.3)) connector.kill()
      else servers.kill()
      killLater(everyMs)
    })
  }
  if (killedEveryMs !== undefined) killLater(killedEveryMs)
  if (clockJumpMs !== undefined)
    machine.after(machine.random.below(10_000), () => {
      machine.clock.offsetMs += clockJumpMs
    })
  return () => {
    isOver = true
    network.weather = CALM
    now.faults = SOUND
    receiver.refused = 0
  }
}
