import type { CapacityGate } from '../ports/capacity-gate.ts'
import { ApiError } from './operation.ts'

/** Limits of concurrent and waiting operations in a process. */
export interface GateSize {
  readonly atOnceMax: number
  /** Limit per platform, which leaves capacity for the others. */
  readonly atOnceOfPlatformMax: number
  readonly waitingOfPlatformMax: number
  readonly waitingMax: number
}

export const GATE_SIZE: GateSize = {
  atOnceMax: 256,
  atOnceOfPlatformMax: 192,
  waitingOfPlatformMax: 1_536,
  waitingMax: 4_096,
}

type Enter = () => void

interface Line {
  underWay: number
  readonly waiting: Enter[]
}

/**
 * Limits concurrent operations. Waiting ones are admitted one per platform in turn, so a platform with a
 * thousand requests delays the others no longer than a platform with ten.
 */
export class FairGate implements CapacityGate {
  readonly #size: GateSize
  readonly #lines = new Map<string, Line>()
  /** Platforms with waiting operations and free capacity, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #underWay = 0
  #waiting = 0

  constructor(size: GateSize = GATE_SIZE) {
    this.#size = size
  }

  /** Throws 503 `UNAVAILABLE` if too many operations wait. Call it before doing any work for a request. */
  admit(platformId?: string): void {
    const { waitingMax, waitingOfPlatformMax } = this.#size
    const own = platformId === undefined ? 0 : (this.#lines.get(platformId)?.waiting.length ?? 0)
    if (this.#waiting < waitingMax && own < waitingOfPlatformMax) return
    throw new ApiError('UNAVAILABLE', {
      message: 'The server has too many requests. Nothing was done. Try again.',
    })
  }

  /**
   * Runs one platform's operation once there is capacity. Throws 503 `UNAVAILABLE` if too many operations
   * wait.
   */
  async run<T>(platformId: string, work: () => Promise<T>): Promise<T> {
    const known = this.#lines.get(platformId)
    const mayBegin = known
      ? this.#hasCapacity(known) && known.waiting.length === 0
      : this.#underWay < this.#size.atOnceMax
    if (!mayBegin) this.admit(platformId)
    const line = this.#lineOf(platformId)
    if (mayBegin) this.#begin(line)
    else await this.#wait(line)
    try {
      return await work()
    } finally {
      this.#end(platformId, line)
    }
  }

  #lineOf(platformId: string): Line {
    const known = this.#lines.get(platformId)
    if (known) return known
    const line = { underWay: 0, waiting: [] }
    this.#lines.set(platformId, line)
    return line
  }

  #hasCapacity({ underWay }: Line): boolean {
    return this.#underWay < this.#size.atOnceMax && underWay < this.#size.atOnceOfPlatformMax
  }

  #begin(line: Line): void {
    line.underWay += 1
    this.#underWay += 1
  }

  async #wait(line: Line): Promise<void> {
    this.#waiting += 1
    this.#turns.add(line)
    await new Promise<void>((resolve) => line.waiting.push(resolve))
  }

  #end(platformId: string, line: Line): void {
    line.underWay -= 1
    this.#underWay -= 1
    this.#letIn()
    if (line.underWay === 0 && line.waiting.length === 0) this.#lines.delete(platformId)
  }

  /** Admits an operation of the next platform in turn that has free capacity. */
  #letIn(): void {
    for (const line of this.#turns) {
      if (!this.#hasCapacity(line)) continue
      this.#turns.delete(line)
      if (line.waiting.length > 1) this.#turns.add(line)
      this.#waiting -= 1
      this.#begin(line)
      line.waiting.shift()?.()
      return
    }
  }
}
