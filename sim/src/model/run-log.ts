import { createHash } from 'node:crypto'
import type { Machine } from '../machine/machine.ts'

/**
 * A log of the responses that clients received, and of the events that the webhook endpoint received, in
 * order.
 */
export class RunLog {
  /** One line for each response and each received event. */
  readonly lines: string[] = []
  responses = 0
  readonly #machine: Machine
  readonly #hash = createHash('sha256')

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Records a call or delivery and its outcome. `message` is the full message. */
  record(description: string, outcome: string, message: unknown): void {
    const sinceMs = this.#machine.nowMs - this.#machine.startMs
    this.lines.push(`${Math.round(sinceMs)} ${description} → ${outcome}`)
    this.#hash.update(`${sinceMs} ${description} ${outcome} ${JSON.stringify(message)}\n`)
  }

  /** A digest of everything received, including times. Two runs of the same seed have the same digest. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
