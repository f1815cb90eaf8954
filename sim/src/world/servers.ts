import type { Config } from '../../../server/src/base/settings/config.ts'
import { openService, type Service } from '../../../server/src/edge/service/service.ts'
import { newRequestId } from '../../../server/src/kernel/operation/app.ts'
import { randomness } from '../machine/globals.ts'
import { type Machine, Program, runAs } from '../machine/machine.ts'
import {
  createNetworkError,
  type HostResponse,
  type Network,
  type OutgoingRequest,
} from '../machine/network.ts'
import { type DatabaseFaults, ProgramDatabase } from './database.ts'
import type { Engine } from './engine.ts'

/** A client's request to a server. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A response body of any shape, as parsed from JSON. */
export type Body = ReturnType<typeof JSON.parse>

export interface Reply {
  readonly status: number
  readonly body: Body
}

/** A server that is running or starting. */
interface Running {
  readonly program: Program
  service?: Service
}

/** The servers' address in the network. */
export const SERVERS = '127.0.0.1:8787'
/** The maximum time until a killed server is back. */
const RESTART_MS_MAX = 3_000
/** The time that a client waits for a response. */
const RESPONSE_MS_MAX = 20_000

/** A platform's servers, which share one database. They are killed at times, and restart. */
export class Servers {
  readonly #machine: Machine
  readonly #network: Network
  readonly #engine: Engine
  readonly #config: Config
  readonly #faults: () => DatabaseFaults
  readonly #running: Running[] = []
  kills = 0

  constructor(
    machine: Machine,
    network: Network,
    engine: Engine,
    config: Config,
    faults: () => DatabaseFaults,
  ) {
    this.#machine = machine
    this.#network = network
    this.#engine = engine
    this.#config = config
    this.#faults = faults
    network.hosts.set(SERVERS, (sent) => this.#handleCall(sent))
  }

  /** Starts `count` servers and waits until they are ready. Returns the first one's service. */
  async start(count: number): Promise<Service> {
    fillPool()
    for (let at = 0; at < count; at++) await this.#startServer(at)
    return this.#running[0]!.service!
  }

  /** Kills one server immediately. It restarts automatically. */
  kill(): void {
    const at = this.#machine.random.integerBelow(this.#running.length)
    const { program } = this.#running[at]!
    if (program.isDead) return
    this.kills += 1
    program.kill()
    this.#machine.runAfter(this.#machine.randomDuration(RESTART_MS_MAX), () => {
      this.#startServer(at).catch((error) => this.#machine.fail(error))
    })
  }

  /** Starts a server, and starts it again if a database fault makes the start fail. */
  async #startServer(at: number): Promise<void> {
    for (;;) {
      // The previous server may only just have become ready.
      await this.#machine.pause(0)
      const program = new Program(`server ${at + 1}`)
      const server: Running = { program }
      this.#running[at] = server
      const initialFaults = this.#faults()
      const db = new ProgramDatabase(this.#engine.db, this.#machine, program, this.#faults)
      const killed = new Promise<undefined>((resolve) => program.onKill(() => resolve(undefined)))
      const opened = runAs(program, async () => {
        const service = await openService(this.#config, {
          openDatabase: async () => db,
          checkResponses: true,
        })
        await service.server.ready()
        server.service = service
      })
      const failure = await Promise.race([
        killed,
        opened.then(
          () => undefined,
          (error: unknown) => ({ error }),
        ),
      ])
      if (failure === undefined) return
      // A fault that was active when the start began may have ended by now.
      if (isSound(initialFaults) && isSound(this.#faults())) throw failure.error
      program.kill()
      await this.#machine.pause(this.#machine.randomDuration(RESTART_MS_MAX))
    }
  }

  /** Sends a call over the network to one of the servers. Rejects if there is no response. */
  async send({ method, path, headers, body = '' }: Call): Promise<Reply> {
    const url = new URL(`http://${SERVERS}${path}`)
    const response = await this.#network.send({ method, url, headers, body: Buffer.from(body) })
    return { status: response.status, body: response.body ? JSON.parse(response.body) : undefined }
  }

  async #handleCall({ method, url, headers, body }: OutgoingRequest): Promise<HostResponse> {
    const { program, service } = this.#machine.random.pick(this.#running)
    if (program.isDead || !service) throw createNetworkError('ECONNREFUSED')
    return new Promise((resolve, reject) => {
      const cutConnection = () => reject(createNetworkError('ECONNRESET'))
      const stop = program.onKill(cutConnection)
      const late = this.#machine.runAfter(RESPONSE_MS_MAX, () => reject(createNetworkError('TIMEOUT')))
      runAs(program, () => {
        service.server
          .inject({
            method: method as 'GET',
            url: `${url.pathname}${url.search}`,
            headers: { ...headers },
            ...(body.length > 0 ? { payload: body } : {}),
          })
          .then((response) => {
            stop()
            late.isCanceled = true
            resolve({ status: response.statusCode, body: response.payload })
          }, reject)
      })
    })
  }

  /** Kills all servers permanently. */
  end(): void {
    for (const { program } of this.#running) program.kill()
  }
}

function isSound({ conflicts, losses }: DatabaseFaults): boolean {
  return conflicts === 0 && losses === 0
}

/**
 * Fills the pool from which ids take their randomness. The pool outlives a run, so its remaining bytes are
 * used up first.
 */
function fillPool(): void {
  const before = randomness.callCount
  while (randomness.callCount === before) newRequestId(new Date())
}
