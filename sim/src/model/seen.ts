import { createHash } from 'node:crypto'
import type { Machine } from '../machine/machine.ts'

/** The responses and events that callers and the platform's webhook endpoint received in a run, in order. */
export class Seen {
  /** A line per response and per received event. */
  readonly trace: string[] = []
  answers = 0
  readonly #machine: Machine
  readonly #hash = createHash('sha256')

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Records a call or a delivery with its outcome; `whole` is the full message. */
  note(what: string, outcome: string, whole: unknown): void {
    const sinceMs = this.#machine.nowMs - this.#machine.startMs
    this.trace.push(`${Math.round(sinceMs)} ${what} → ${outcome}`)
    this.#hash.update(`${sinceMs} ${what} ${outcome} ${JSON.stringify(whole)}\n`)
  }

  /** A digest of everything with its times, equal for two runs of one seed. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
