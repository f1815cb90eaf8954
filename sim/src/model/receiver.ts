import type { Machine } from '../machine/machine.ts'
import type { HostResponse, OutgoingRequest } from '../machine/network.ts'
import { Violation } from './model.ts'
import type { RunLog } from './run-log.ts'

interface ReceivedEvent {
  readonly id: string
  readonly objectId: string
  readonly sequence: number
}

/** The platform's webhook endpoint. It is sometimes unavailable or slow. */
export class Receiver {
  /** The first delivery of each event, in order of arrival. */
  readonly first = new Map<string, ReceivedEvent>()
  readonly #texts = new Map<string, string>()
  readonly #machine: Machine
  readonly #log: RunLog
  /** The fraction of deliveries that the endpoint refuses. */
  refused = 0

  constructor(machine: Machine, log: RunLog) {
    this.#machine = machine
    this.#log = log
  }

  respond = async ({ headers, body }: OutgoingRequest): Promise<HostResponse> => {
    const { random } = this.#machine
    const description = `event ${headers['webhook-id']}`
    if (random.chance(this.refused)) {
      const status = random.pick([500, 503, 404, 302])
      this.#log.record(description, String(status), body.toString())
      return { status }
    }
    const event = JSON.parse(body.toString())
    if (headers['webhook-id'] !== event.id)
      throw new Violation(`${event.id} was delivered as ${headers['webhook-id']}`)
    const text = body.toString()
    const before = this.#texts.get(event.id)
    if (before !== undefined && before !== text)
      throw new Violation(`${event.id} was delivered as ${before}, then as ${text}`)
    this.#texts.set(event.id, text)
    if (before === undefined && event.type !== 'TEST') this.first.set(event.id, event)
    this.#log.record(description, '200', text)
    return { status: 200 }
  }
}
