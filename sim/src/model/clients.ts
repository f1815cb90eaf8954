import type { Machine } from '../machine/machine.ts'
import type { Random } from '../machine/random.ts'
import type { Body, Call, Reply, Servers } from '../world/servers.ts'
import { Wrong } from './model.ts'
import type { Seen } from './seen.ts'

/** A call, and its response once there is one. */
interface Exchange {
  readonly call: Call
  answer?: Reply
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
  readonly #seen: Seen

  constructor(
    machine: Machine,
    servers: Servers,
    { authorization, seen }: { authorization: string; seen: Seen },
  ) {
    this.machine = machine
    this.random = machine.random.fork()
    this.#servers = servers
    this.#authorization = authorization
    this.#seen = seen
  }

  get = (path: string): Promise<Reply> => this.#untilKnown(this.#call('GET', path))

  /**
   * Makes a call with a new idempotency key; sometimes sends it twice at the same time, or repeats it later.
   * The response must always be the same.
   */
  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const key = { 'Idempotency-Key': `call ${this.#exchanges.length}`, ...headers }
    const exchange: Exchange = { call: this.#call('POST', path, body, key) }
    this.#exchanges.push(exchange)
    await Promise.all(Array.from({ length: this.random.chance(0.1) ? 3 : 1 }, () => this.#again(exchange)))
    if (this.random.chance(0.15)) await this.#again(exchange)
    if (this.random.chance(0.05)) await this.#again(this.random.pick(this.#exchanges))
    return exchange.answer!
  }

  /** Makes a call that is safe to repeat. */
  again = (method: 'PATCH' | 'POST', path: string, body: unknown): Promise<Reply> =>
    this.#untilKnown(this.#call(method, path, body))

  /** Makes a sign-in call. It takes no idempotency key, and repeating it replaces the code. */
  signIn = (path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
    this.#untilKnown(this.#call('POST', path, body, headers))

  #call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Call {
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

  async #again(exchange: Exchange): Promise<void> {
    const answer = await this.#untilKnown(exchange.call)
    const { answer: first } = exchange
    if (!first) {
      exchange.answer = answer
      return
    }
    const [was, is] = [first, answer].map(({ status, body }) => JSON.stringify([status, body]))
    if (was !== is) throw new Wrong(`${describe(exchange.call)} returned ${was}, and then ${is}`)
  }

  async #untilKnown(call: Call): Promise<Reply> {
    for (let attempt = 0; attempt < RETRIES_MAX; attempt++) {
      try {
        const reply = await this.#servers.send(call)
        this.#note(call, `${reply.status} ${reply.body?.code ?? ''}`, reply.body)
        if (reply.status < 500) return reply
      } catch (error) {
        this.#note(call, error instanceof Error ? error.message : String(error))
      }
      await this.machine.pause(this.machine.someTime(RETRY_MS_MAX))
    }
    throw new Wrong(`${describe(call)} has no answer after ${RETRIES_MAX} attempts`)
  }

  #note(call: Call, answer: string, body?: unknown): void {
    this.#seen.answers += 1
    this.#seen.note(describe(call), answer, body)
  }
}

function describe({ method, path, headers, body }: Call): string {
  return `${method} ${path} ${headers['Idempotency-Key'] ?? ''} ${body ?? ''}`
}

/** Returns the body of a response that must have this status. Throws Wrong. */
export function must({ status, body }: Reply, expected: number): Body {
  if (status !== expected) throw new Wrong(`${expected} was expected, not ${status} ${JSON.stringify(body)}`)
  return body
}
