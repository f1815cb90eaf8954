import type { CapacityGate } from '../ports/capacity-gate.ts'
import { ApiError } from './operation.ts'

/** How many operations a process does at a time, and how many may wait. */
export interface GateSize {
  readonly atOnceMax: number
  /** Of one platform: the others always find room. */
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

/** The operations of one platform. */
interface Line {
  underWay: number
  readonly waiting: Enter[]
}

/**
 * Lets in so many operations at a time. Those that wait are let in platform by platform, one of each in turn, so that a platform
 * with a thousand requests holds up another with one no longer than one with ten does.
 */
export class FairGate implements CapacityGate {
  readonly #size: GateSize
  readonly #lines = new Map<string, Line>()
  /** Platforms that wait and have room of their own, in the order of their turns. */
  readonly #turns = new Set<Line>()
  #underWay = 0
  #waiting = 0

  constructor(size: GateSize = GATE_SIZE) {
    this.#size = size
  }

  /** Error: 503 `UNAVAILABLE` where too many wait already. To be asked before anything is done for a request. */
  checkRoom(platformId?: string): void {
    const { waitingMax, waitingOfPlatformMax } = this.#size
    const own = platformId === undefined ? 0 : (this.#lines.get(platformId)?.waiting.length ?? 0)
    if (this.#waiting < waitingMax && own < waitingOfPlatformMax) return
    throw new ApiError('UNAVAILABLE', {
      message: 'The server has more requests than it can answer. Nothing was done. Try again.',
    })
  }

  /** Does the work of one platform's operation once there is room. Error: 503 `UNAVAILABLE` where too many wait already. */
  async run<T>(platformId: string, work: () => Promise<T>): Promise<T> {
    const known = this.#lines.get(platformId)
    const mayBegin = known
      ? this.#hasRoom(known) && known.waiting.length === 0
      : this.#underWay < this.#size.atOnceMax
    if (!mayBegin) this.checkRoom(platformId)
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

  #hasRoom({ underWay }: Line): boolean {
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

  /** Lets in one of the platform whose turn it is, among those with room of their own. */
  #letIn(): void {
    for (const line of this.#turns) {
      if (!this.#hasRoom(line)) continue
      this.#turns.delete(line)
      if (line.waiting.length > 1) this.#turns.add(line)
      this.#waiting -= 1
      this.#begin(line)
      line.waiting.shift()?.()
      return
    }
  }
}
