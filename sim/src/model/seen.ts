import { createHash } from 'node:crypto'
import type { Machine } from '../machine/machine.ts'

/** The responses that clients received, and the events that the webhook endpoint received, in order. */
export class Seen {
  /** One line for each response and each received event. */
  readonly trace: string[] = []
  answers = 0
  readonly #machine: Machine
  readonly #hash = createHash('sha256')

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Records a call or a delivery and its outcome. `whole` is the full message. */
  note(what: string, outcome: string, whole: unknown): void {
    const sinceMs = this.#machine.nowMs - this.#machine.startMs
    this.trace.push(`${Math.round(sinceMs)} ${what} → ${outcome}`)
    this.#hash.update(`${sinceMs} ${what} ${outcome} ${JSON.stringify(whole)}\n`)
  }

  /** A digest of everything received, including times. Two runs of the same seed have the same digest. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
