import type { CapacityGate } from '../ports/capacity-gate.ts'
import { ApiError } from './operation.ts'

/** Limits on concurrent and waiting operations in a process. */
export interface GateSize {
  readonly atOnceMax: number
  /** The limit per platform, which leaves capacity for the others. */
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

type Admit = () => void

interface PlatformQueue {
  underWay: number
  readonly waiting: Admit[]
}

/**
 * Limits concurrent operations. Waiting ones are admitted round-robin by platform, so that a platform with a
 * thousand requests delays others no longer than one with ten.
 */
export class FairGate implements CapacityGate {
  readonly #size: GateSize
  readonly #lines = new Map<string, PlatformQueue>()
  /** Platforms with waiting operations and free capacity, in the order of their turns. */
  readonly #turns = new Set<PlatformQueue>()
  #underWay = 0
  #waiting = 0

  constructor(size: GateSize = GATE_SIZE) {
    this.#size = size
  }

  /**
   * Throws 503 `UNAVAILABLE` if too many operations are waiting. Call it before doing any work for a request.
   */
  admit(platformId?: string): void {
    const { waitingMax, waitingOfPlatformMax } = this.#size
    const waitingOfPlatform =
      platformId === undefined ? 0 : (this.#lines.get(platformId)?.waiting.length ?? 0)
    if (this.#waiting < waitingMax && waitingOfPlatform < waitingOfPlatformMax) return
    throw new ApiError('UNAVAILABLE', {
      message: 'The server has too many requests. Nothing was done. Try again.',
    })
  }

  /**
   * Runs an operation of a platform once there is capacity. Throws 503 `UNAVAILABLE` if too many operations
   * are waiting.
   */
  async run<T>(platformId: string, work: () => Promise<T>): Promise<T> {
    const existing = this.#lines.get(platformId)
    const mayBegin = existing
      ? this.#hasCapacity(existing) && existing.waiting.length === 0
      : this.#underWay < this.#size.atOnceMax
    if (!mayBegin) this.admit(platformId)
    const queue = this.#queueOf(platformId)
    if (mayBegin) this.#begin(queue)
    else await this.#wait(queue)
    try {
      return await work()
    } finally {
      this.#end(platformId, queue)
    }
  }

  #queueOf(platformId: string): PlatformQueue {
    const existing = this.#lines.get(platformId)
    if (existing) return existing
    const queue = { underWay: 0, waiting: [] }
    this.#lines.set(platformId, queue)
    return queue
  }

  #hasCapacity({ underWay }: PlatformQueue): boolean {
    return this.#underWay < this.#size.atOnceMax && underWay < this.#size.atOnceOfPlatformMax
  }

  #begin(queue: PlatformQueue): void {
    queue.underWay += 1
    this.#underWay += 1
  }

  async #wait(queue: PlatformQueue): Promise<void> {
    this.#waiting += 1
    this.#turns.add(queue)
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
  }

  #end(platformId: string, queue: PlatformQueue): void {
    queue.underWay -= 1
    this.#underWay -= 1
    this.#admitNext()
    if (queue.underWay === 0 && queue.waiting.length === 0) this.#lines.delete(platformId)
  }

  /** Admits an operation of the next platform that has free capacity. */
  #admitNext(): void {
    for (const queue of this.#turns) {
      if (!this.#hasCapacity(queue)) continue
      this.#turns.delete(queue)
      if (queue.waiting.length > 1) this.#turns.add(queue)
      this.#waiting -= 1
      this.#begin(queue)
      queue.waiting.shift()?.()
      return
    }
  }
}
