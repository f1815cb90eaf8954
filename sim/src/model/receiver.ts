import type { Machine } from '../machine/machine.ts'
import type { Answer, Outgoing } from '../machine/network.ts'
import { Wrong } from './model.ts'
import type { Seen } from './seen.ts'

interface Received {
  readonly id: string
  readonly objectId: string
  readonly sequence: number
}

/** The platform's webhook endpoint. It is sometimes unavailable or slow. */
export class Receiver {
  /** The first delivery of each event, in order of arrival. */
  readonly first = new Map<string, Received>()
  readonly #texts = new Map<string, string>()
  readonly #machine: Machine
  readonly #seen: Seen
  /** The fraction of deliveries that it refuses. */
  refused = 0

  constructor(machine: Machine, seen: Seen) {
    this.#machine = machine
    this.#seen = seen
  }

  answer = async ({ headers, body }: Outgoing): Promise<Answer> => {
    const { random } = this.#machine
    const what = `event ${headers['webhook-id']}`
    if (random.chance(this.refused)) {
      const status = random.pick([500, 503, 404, 302])
      this.#seen.note(what, String(status), body.toString())
      return { status }
    }
    const event = JSON.parse(body.toString())
    if (headers['webhook-id'] !== event.id) throw new Wrong(`${event.id} came as ${headers['webhook-id']}`)
    const text = body.toString()
    const before = this.#texts.get(event.id)
    if (before !== undefined && before !== text)
      throw new Wrong(`${event.id} came as ${before}, then as ${text}`)
    this.#texts.set(event.id, text)
    if (before === undefined && event.type !== 'TEST') this.first.set(event.id, event)
    this.#seen.note(what, '200', text)
    return { status: 200 }
  }
}
