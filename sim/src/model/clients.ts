import type { Machine } from '../machine/machine.ts'
import type { Random } from '../machine/random.ts'
import type { Body, Call, Reply, Servers } from '../world/servers.ts'
import { Violation } from './model.ts'
import type { RunLog } from './run-log.ts'

/** A call, with its response once it has arrived. */
interface Exchange {
  readonly call: Call
  reply?: Reply
}

/** The prefix of all API paths. */
const BASE_PATH = '/2025-10-13'
const RETRY_MS_MAX = 2_000
const RETRIES_MAX = 400

/** The platform's backend. It retries calls whose outcome is unknown. */
export class Backend {
  readonly machine: Machine
  readonly random: Random
  readonly #servers: Servers
  readonly #authorization: string
  readonly #exchanges: Exchange[] = []
  readonly #log: RunLog

  constructor(
    machine: Machine,
    servers: Servers,
    { authorization, log }: { authorization: string; log: RunLog },
  ) {
    this.machine = machine
    this.random = machine.random.fork()
    this.#servers = servers
    this.#authorization = authorization
    this.#log = log
  }

  get = (path: string): Promise<Reply> => this.#sendUntilKnown(this.#buildCall('GET', path))

  /**
   * Makes a call with a new idempotency key. Sometimes sends it several times concurrently, or repeats it
   * later. The response must always be the same.
   */
  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const key = { 'Idempotency-Key': `call ${this.#exchanges.length}`, ...headers }
    const exchange: Exchange = { call: this.#buildCall('POST', path, body, key) }
    this.#exchanges.push(exchange)
    await Promise.all(
      Array.from({ length: this.random.chance(0.1) ? 3 : 1 }, () => this.#callRepeatable(exchange)),
    )
    if (this.random.chance(0.15)) await this.#callRepeatable(exchange)
    if (this.random.chance(0.05)) await this.#callRepeatable(this.random.pick(this.#exchanges))
    return exchange.reply!
  }

  /** Makes a call that is safe to repeat. */
  callRepeatable = (method: 'PATCH' | 'POST', path: string, body: unknown): Promise<Reply> =>
    this.#sendUntilKnown(this.#buildCall(method, path, body))

  /** Makes a sign-in call, which takes no idempotency key. Repeating it replaces the code. */
  signIn = (path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
    this.#sendUntilKnown(this.#buildCall('POST', path, body, headers))

  #buildCall(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Call {
    return {
      method,
      path: `${BASE_PATH}${path}`,
      headers: {
        authorization: this.#authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
  }

  async #callRepeatable(exchange: Exchange): Promise<void> {
    const reply = await this.#sendUntilKnown(exchange.call)
    const { reply: first } = exchange
    if (!first) {
      exchange.reply = reply
      return
    }
    const [was, is] = [first, reply].map(({ status, body }) => JSON.stringify([status, body]))
    if (was !== is) throw new Violation(`${describeCall(exchange.call)} returned ${was}, and then ${is}`)
  }

  async #sendUntilKnown(call: Call): Promise<Reply> {
    for (let attempt = 0; attempt < RETRIES_MAX; attempt++) {
      try {
        const reply = await this.#servers.send(call)
        this.#logOutcome(call, `${reply.status} ${reply.body?.code ?? ''}`, reply.body)
        if (reply.status < 500) return reply
      } catch (error) {
        this.#logOutcome(call, error instanceof Error ? error.message : String(error))
      }
      await this.machine.pause(this.machine.randomDuration(RETRY_MS_MAX))
    }
    throw new Violation(`${describeCall(call)} has no response after ${RETRIES_MAX} attempts`)
  }

  #logOutcome(call: Call, outcome: string, body?: unknown): void {
    this.#log.responses += 1
    this.#log.record(describeCall(call), outcome, body)
  }
}

function describeCall({ method, path, headers, body }: Call): string {
  return `${method} ${path} ${headers['Idempotency-Key'] ?? ''} ${body ?? ''}`
}

/** Returns the body of a response, which must have this status. Throws Violation. */
export function expectStatus({ status, body }: Reply, expected: number): Body {
  if (status !== expected)
    throw new Violation(`${expected} was expected, not ${status} ${JSON.stringify(body)}`)
  return body
}
