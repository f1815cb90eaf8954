/** Pseudorandom choices, determined by a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A random integer from 0 up to, but not including, `end`. */
  integerBelow(end: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integerBelow(items.length)]!
  }

  chance(share: number): boolean {
    return this.integerBelow(1_000_000) < share * 1_000_000
  }

  /** Fills a buffer with bytes determined by the seed. Never use them for keys outside a simulation. */
  fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.integerBelow(256)
  }

  /** Creates an independent source, for one of several consumers that draw from it in no fixed order. */
  fork(): Random {
    return new Random(this.integerBelow(2 ** 31))
  }
}
