import { join } from 'node:path'
import { type RunningBank, startBank } from '../../../connectors/example-bank/start.ts'
import { type Machine, Program, runAs } from '../machine/machine.ts'
import type { Network } from '../machine/network.ts'
import type { Random } from '../machine/random.ts'
import { SERVERS } from './servers.ts'

const PORT = 9115
const ADDRESS = `127.0.0.1:${PORT}`
const NAME = 'example-bank'
const SECRET_NAME = 'SIMULATED_BANK_SECRET'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** The maximum time until the connector is back. */
const RESTART_MS_MAX = 3_000

/**
 * The connector's entry in the rails file. Also puts the secret into the environment, where the servers look
 * for it.
 */
export function buildConnectorEntry(): object {
  process.env[SECRET_NAME] = SECRET
  const serves = ['OUT', 'PULL', 'IN'].flatMap((direction) => [
    { direction, accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
    { direction, accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] },
  ])
  return { name: NAME, kind: 'http', url: `http://${ADDRESS}`, secret: { env: SECRET_NAME }, serves }
}

/** The behavior of the bank behind the connector. */
export interface ConnectorBehavior {
  /** True if events are delivered in random order. */
  readonly shuffleEvents: boolean
  readonly repeatEvents: number
  /** The delay from accepted to delivered, and from delivered to returned. */
  readonly settleDelayMs: number
  readonly returnDelayMs: number
  /** After each start, this number of responses describes a different payment. */
  readonly mixAnswers: number
}

export function chooseConnectorBehavior(random: Random): ConnectorBehavior {
  return {
    shuffleEvents: random.chance(0.5),
    repeatEvents: 1 + random.integerBelow(3),
    settleDelayMs: random.integerBelow(4_000),
    returnDelayMs: random.integerBelow(4_000),
    mixAnswers: random.integerBelow(20),
  }
}

/** An order in the response of the bank's control API. */
export interface Order {
  readonly id: string
  readonly status: string
  /** The number of times that it has moved its money. */
  readonly bookings: number
}

/** A deposit in the response of the bank's control API. */
export interface Deposit {
  readonly deposit: { readonly depositId: string }
  /** The order that returned the deposit. */
  readonly returnedBy?: string
}

/**
 * A connector and its bank: the unchanged example bank, on the simulation's disk and network. It is killed at
 * times, and restarts with the content of its journal.
 */
export class Connector {
  readonly #machine: Machine
  readonly #folder: string
  readonly #behavior: ConnectorBehavior
  readonly #network: Network
  #program = new Program('bank')

  constructor(machine: Machine, network: Network, folder: string, behavior: ConnectorBehavior) {
    this.#machine = machine
    this.#network = network
    this.#folder = folder
    this.#behavior = behavior
  }

  /** Starts the bank with the content of its folder. */
  async start(): Promise<void> {
    await this.#machine.pause(0)
    this.#program = new Program('bank')
    await runAs(
      this.#program,
      (): Promise<RunningBank> =>
        startBank({
          port: PORT,
          folder: join(this.#folder, 'bank'),
          secrets: SECRET,
          events: `http://${SERVERS}/rail-events/${NAME}`,
          behaviour: this.#behavior,
        }),
    )
  }

  /** Kills the bank immediately. It restarts automatically. */
  kill(): void {
    if (this.#program.isDead) return
    this.#program.kill()
    this.#machine.runAfter(this.#machine.randomDuration(RESTART_MS_MAX), () => {
      this.start().catch((error) => this.#machine.fail(error))
    })
  }

  end(): void {
    this.#program.kill()
  }

  /** Calls the bank's control API until it responds. */
  async callControlApi(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<ReturnType<typeof JSON.parse>> {
    const url = new URL(`http://${ADDRESS}/bank${path}`)
    const sent = { method, url, headers: {}, body: Buffer.from(body ? JSON.stringify(body) : '') }
    for (;;) {
      const reply = await this.#network.send(sent).catch(() => undefined)
      if (reply?.status === 200) return JSON.parse(reply.body!)
      if (reply) throw new Error(`The bank's control API returned ${reply.status} ${reply.body}`)
      await this.#machine.pause(RESTART_MS_MAX)
    }
  }
}
