import type { Machine } from '../machine/machine.ts'
import type { Random } from '../machine/random.ts'
import type { Body, Call, Reply, Servers } from '../world/servers.ts'
import { Wrong } from './model.ts'
import type { Seen } from './seen.ts'

/** A call with its response, once it is known. */
interface Asked {
  readonly call: Call
  answer?: Reply
}

/** All paths of the API begin with it. */
const BASE_PATH = '/2025-10-13'
const RETRY_MS_MAX = 2_000
const RETRIES_MAX = 400

/** The platform's backend. It retries calls with an unknown outcome. */
export class Backend {
  readonly machine: Machine
  readonly random: Random
  readonly #servers: Servers
  readonly #authorization: string
  readonly #asked: Asked[] = []
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
   * Calls under a new key; sometimes twice at the same time, or again later. The response must stay the same.
   */
  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const key = { 'Idempotency-Key': `call ${this.#asked.length}`, ...headers }
    const asked: Asked = { call: this.#call('POST', path, body, key) }
    this.#asked.push(asked)
    await Promise.all(Array.from({ length: this.random.chance(0.1) ? 3 : 1 }, () => this.#again(asked)))
    if (this.random.chance(0.15)) await this.#again(asked)
    if (this.random.chance(0.05)) await this.#again(this.random.pick(this.#asked))
    return asked.answer!
  }

  /** For what may be done twice. */
  again = (method: 'PATCH' | 'POST', path: string, body: unknown): Promise<Reply> =>
    this.#untilKnown(this.#call(method, path, body))

  /** A call of a sign-in: it takes no key, and a repeat replaces a code. */
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

  async #again(asked: Asked): Promise<void> {
    const answer = await this.#untilKnown(asked.call)
    const { answer: first } = asked
    if (!first) {
      asked.answer = answer
      return
    }
    const [was, is] = [first, answer].map(({ status, body }) => JSON.stringify([status, body]))
    if (was !== is) throw new Wrong(`${describe(asked.call)} returned ${was}, and then ${is}`)
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

/** The body of a response that must have this status. Throws Wrong. */
export function must({ status, body }: Reply, wanted: number): Body {
  if (status !== wanted) throw new Wrong(`${wanted} was expected, not ${status} ${JSON.stringify(body)}`)
  return body
}
