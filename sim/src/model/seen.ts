import { createHash } from 'node:crypto'
import type { Machine } from '../machine/machine.ts'

/** What callers and the platform's endpoint have seen in a run, in its order. */
export class Seen {
  /** A line for each answer, and for each event that came. */
  readonly trace: string[] = []
  answers = 0
  readonly #machine: Machine
  readonly #hash = createHash('sha256')

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** A call or a delivery with what came of it; `whole` is all that was said. */
  note(what: string, outcome: string, whole: unknown): void {
    const sinceMs = this.#machine.nowMs - this.#machine.startMs
    this.trace.push(`${Math.round(sinceMs)} ${what} → ${outcome}`)
    this.#hash.update(`${sinceMs} ${what} ${outcome} ${JSON.stringify(whole)}\n`)
  }

  /** Of everything with its times: two runs of one seed have the same. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
