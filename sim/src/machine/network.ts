import { EventEmitter } from 'node:events'
import type { ClientRequest, RequestOptions } from 'node:http'
import { Readable } from 'node:stream'
import { type Machine, type Program, runAs } from './machine.ts'

/** A request that a program sends to somebody outside. */
export interface Outgoing {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Answer {
  readonly status: number
  readonly body?: string
}

/** Somebody who answers at a host. */
export type Host = (request: Outgoing) => Answer | Promise<Answer>

/** How the network treats what is sent over it, as shares of all. */
export interface Weather {
  readonly latencyMsMax: number
  readonly lostRequests: number
  readonly lostAnswers: number
  /** Whether nothing is answered for what is lost, or the connection breaks. */
  readonly silentLosses: number
}

/** Longer than anybody waits for an answer. */
const SILENCE_MS = 20_000

/** The network between programs of the simulation and hosts outside. */
export class Network {
  readonly hosts = new Map<string, Host>()
  readonly machine: Machine
  weather: Weather

  constructor(machine: Machine, weather: Weather) {
    this.machine = machine
    this.weather = weather
  }

  /** In the place of `request` of `node:http`: as much of it as `outgoing/send.ts` uses. */
  request(program: Program, url: URL, { headers }: RequestOptions): ClientRequest {
    const request = new Request((body) => {
      const sent = { url, headers: headers as Readonly<Record<string, string>>, body }
      this.#send(sent).then(
        (answer) => !program.isDead && runAs(program, () => request.answered(answer)),
        (error) => !program.isDead && runAs(program, () => request.failed(error)),
      )
    })
    return request as unknown as ClientRequest
  }

  /** The answer of the host, where both ways are open. */
  async #send(sent: Outgoing): Promise<Answer> {
    const { machine, weather } = this
    await machine.pause(machine.someTime(weather.latencyMsMax))
    const host = this.hosts.get(sent.url.host)
    if (!host) throw broken('ECONNREFUSED')
    if (machine.random.chance(weather.lostRequests)) return this.lose()
    const answer = await host(sent)
    await machine.pause(machine.someTime(weather.latencyMsMax))
    if (machine.random.chance(weather.lostAnswers)) return this.lose()
    return answer
  }

  /** Breaks the connection, or says nothing until whoever waits gives up. */
  async lose(): Promise<never> {
    const isSilent = this.machine.random.chance(this.weather.silentLosses)
    await this.machine.pause(isSilent ? SILENCE_MS : this.machine.someTime(100))
    throw broken(isSilent ? 'TIMEOUT' : 'ECONNRESET')
  }
}

export function broken(code: string): Error {
  return Object.assign(new Error(code), { code })
}

class Request extends EventEmitter {
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

  answered({ status, body }: Answer): void {
    if (this.#isDestroyed) return
    const response = Readable.from(body === undefined ? [] : [Buffer.from(body)])
    this.emit('response', Object.assign(response, { statusCode: status, headers: {} }))
  }

  failed(error: Error): void {
    if (!this.#isDestroyed) this.emit('error', error)
  }
}
