import { randomInt } from 'node:crypto'
import { onTestFailed } from 'vitest'

/** `npm run reliability` runs the full sizes, every other run a second or two of the same. */
export const isFull = process.env.RELIABILITY === 'full'

/** Random choices that follow from a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** An integer from 0 to `end`, without `end`. */
  below(end: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  /** Independent choices for one of several parallel clients, whose order is not determined. */
  fork(): Random {
    return new Random(this.below(2 ** 31))
  }
}

/** The seed of a test: printed when it fails, and set by `RELIABILITY_SEED` to repeat it. */
export function seededRandom(): Random {
  const seed = Number(process.env.RELIABILITY_SEED ?? randomInt(2 ** 31))
  onTestFailed(() => console.error(`To have the same choices again: RELIABILITY_SEED=${seed}`))
  return new Random(seed)
}
