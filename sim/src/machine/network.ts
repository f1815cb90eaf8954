import { EventEmitter } from 'node:events'
import type {
  ClientRequest,
  IncomingMessage,
  RequestListener,
  RequestOptions,
  ServerResponse,
} from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Machine, type Program, runAs } from './machine.ts'

/** A request from a program to a host. Header names are in lower case. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface HostResponse {
  readonly status: number
  readonly body?: string
}

/** A host's request handler. Rejects if the host does not respond. */
export type HostHandler = (request: OutgoingRequest) => HostResponse | Promise<HostResponse>

/** Network delays, and the fractions of requests and responses that are lost. */
export interface NetworkConditions {
  readonly latencyMsMax: number
  readonly lostRequests: number
  readonly lostResponses: number
  /** The fraction of losses without any response. In the others, the connection breaks. */
  readonly silentLosses: number
}

/** The duration of a silent loss: longer than every client timeout. */
const SILENCE_MS = 20_000

/** The network that connects the programs of the simulation with each other and with outside hosts. */
export class Network {
  readonly hosts = new Map<string, HostHandler>()
  readonly machine: Machine
  conditions: NetworkConditions

  constructor(machine: Machine, conditions: NetworkConditions) {
    this.machine = machine
    this.conditions = conditions
  }

  /** Replaces `request` of `node:http`, as far as connectors use it. */
  request(
    program: Program,
    url: URL,
    { method = 'GET', headers }: RequestOptions,
    onResponse?: (response: IncomingMessage) => void,
  ): ClientRequest {
    const request = new Request((body) => {
      const outgoing = { method, url, headers: lowerCaseKeys(headers), body }
      this.send(outgoing).then(
        (hostResponse) => !program.isDead && runAs(program, () => request.respond(hostResponse)),
        (error) => !program.isDead && runAs(program, () => request.fail(error)),
      )
    })
    if (onResponse) request.once('response', onResponse)
    return request as unknown as ClientRequest
  }

  /** Replaces `dispatch` of the server's HTTP client. */
  dispatch(
    program: Program,
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { origin = '', path, method, headers, body } = options
    const controller = new Controller()
    handler.onRequestStart?.(controller, undefined)
    const outgoing = {
      method,
      url: new URL(path, origin),
      headers: lowerCaseKeys(isHeaderRecord(headers) ? headers : {}),
      body: body instanceof Uint8Array ? Buffer.from(body) : Buffer.alloc(0),
    }
    const settle = (work: () => void) => {
      if (!program.isDead && !controller.aborted) runAs(program, work)
    }
    this.send(outgoing).then(
      ({ status, body }) =>
        settle(() => {
          handler.onResponseStart?.(controller, status, {})
          if (body !== undefined) handler.onResponseData?.(controller, Buffer.from(body))
          handler.onResponseEnd?.(controller, {})
        }),
      (error) => settle(() => handler.onResponseError?.(controller, error)),
    )
    return true
  }

  /** Replaces `createServer` of `node:http`, as far as connectors use it. */
  createServer(program: Program, listener: RequestListener): Listener {
    return new Listener(this.hosts, program, listener)
  }

  /** Returns the host's response if the network delivers both messages. Rejects otherwise. */
  async send(outgoing: OutgoingRequest): Promise<HostResponse> {
    const { machine, conditions } = this
    await machine.pause(machine.randomDuration(conditions.latencyMsMax))
    const host = this.hosts.get(outgoing.url.host)
    if (!host) throw createNetworkError('ECONNREFUSED')
    if (machine.random.chance(conditions.lostRequests)) return this.loseMessage()
    const hostResponse = await this.#rejectSeparately(host(outgoing))
    await machine.pause(machine.randomDuration(conditions.latencyMsMax))
    if (machine.random.chance(conditions.lostResponses)) return this.loseMessage()
    return hostResponse
  }

  /** Delays a rejection to a separate step, in which the sender finds out that no response is coming. */
  async #rejectSeparately(hostResponse: HostResponse | Promise<HostResponse>): Promise<HostResponse> {
    try {
      return await hostResponse
    } catch (error) {
      await this.machine.pause(0)
      throw error
    }
  }

  /** Breaks the connection, or stays silent until the caller times out. */
  async loseMessage(): Promise<never> {
    const isSilent = this.machine.random.chance(this.conditions.silentLosses)
    await this.machine.pause(isSilent ? SILENCE_MS : this.machine.randomDuration(100))
    throw createNetworkError(isSilent ? 'TIMEOUT' : 'ECONNRESET')
  }
}

export function createNetworkError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

class Controller implements Dispatcher.DispatchController {
  aborted = false
  readonly paused = false
  reason: Error | null = null
  abort(reason: Error): void {
    this.aborted = true
    this.reason = reason
  }
  pause(): void {}
  resume(): void {}
}

function isHeaderRecord(headers: Dispatcher.DispatchOptions['headers']): headers is Record<string, string> {
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers)
}

class Request extends EventEmitter {
  readonly socket = null
  readonly reusedSocket = false
  readonly #send: (body: Buffer) => void
  #isDestroyed = false

  constructor(send: (body: Buffer) => void) {
    super()
    this.#send = send
  }

  end(body?: Uint8Array): void {
    this.#send(Buffer.from(body ?? []))
  }

  destroy(): void {
    this.#isDestroyed = true
  }

  respond({ status, body }: HostResponse): void {
    if (this.#isDestroyed) return
    const response = Readable.from(body === undefined ? [] : [Buffer.from(body)])
    this.emit('response', Object.assign(response, { statusCode: status, headers: {} }))
  }

  fail(error: Error): void {
    if (!this.#isDestroyed) this.emit('error', error)
  }
}

function lowerCaseKeys(headers: RequestOptions['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}

/** A program that listens at an address. */
class Listener extends EventEmitter {
  keepAliveTimeout = 0
  readonly #hosts: Map<string, HostHandler>
  readonly #program: Program
  readonly #listener: RequestListener
  #port = 0

  constructor(hosts: Map<string, HostHandler>, program: Program, listener: RequestListener) {
    super()
    this.#hosts = hosts
    this.#program = program
    this.#listener = listener
  }

  listen(port: number, host: string, onListening: () => void): void {
    this.#port = port
    this.#hosts.set(`${host}:${port}`, this.#handleRequest)
    queueMicrotask(onListening)
  }

  address(): { readonly port: number } {
    return { port: this.#port }
  }

  readonly #handleRequest: HostHandler = ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      const cutConnection = () => reject(createNetworkError('ECONNRESET'))
      if (this.#program.isDead) throw createNetworkError('ECONNREFUSED')
      const unregister = this.#program.onKill(cutConnection)
      const request = {
        method,
        url: `${url.pathname}${url.search}`,
        headers,
        socket: { remoteAddress: '127.0.0.1', destroy: cutConnection },
      }
      runAs(this.#program, () => {
        const response = new Response((hostResponse) => {
          unregister()
          resolve(hostResponse)
        })
        this.#listener(
          Object.assign(Readable.from([body]), request) as unknown as IncomingMessage,
          response as unknown as ServerResponse<IncomingMessage> & { req: IncomingMessage },
        )
      })
    })
}

class Response {
  readonly destroyed = false
  readonly #send: (hostResponse: HostResponse) => void
  #status = 200

  constructor(send: (hostResponse: HostResponse) => void) {
    this.#send = send
  }

  writeHead(status: number): void {
    this.#status = status
  }

  end(body: string): void {
    this.#send({ status: this.#status, body })
  }
}
