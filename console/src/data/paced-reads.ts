/** Pages read again at most this often: a platform may have a thousand events a second. */
export const PAUSE_MS = 5_000
/** A pause is this many times as long as the read, so that data that is costly to count is counted less often. */
const PAUSE_PER_READ = 50
const PAUSE_MS_MAX = 300_000

/** The time from the start of a read to the next one, in milliseconds, after a read that took `tookMs`. */
export function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(PAUSE_MS, PAUSE_PER_READ * tookMs), PAUSE_MS_MAX)
}

/** Reads nouns again that have changed: immediately, or after the pause of their last read. */
export class PacedReads {
  readonly #stale = new Set<string>()
  /** Nouns that are being read, or whose pause has not ended. */
  readonly #pausing = new Set<string>()
  readonly #read: (noun: string) => Promise<void>
  readonly #signal: AbortSignal

  constructor(read: (noun: string) => Promise<void>, signal: AbortSignal) {
    this.#read = read
    this.#signal = signal
  }

  hasChanged(noun: string): void {
    this.#stale.add(noun)
    if (!this.#pausing.has(noun)) void this.#readNow(noun)
  }

  async #readNow(noun: string): Promise<void> {
    this.#stale.delete(noun)
    this.#pausing.add(noun)
    const startMs = performance.now()
    await this.#read(noun)
    const tookMs = performance.now() - startMs
    setTimeout(() => {
      this.#pausing.delete(noun)
      if (this.#stale.has(noun) && !this.#signal.aborted) void this.#readNow(noun)
    }, pauseAfter(tookMs) - tookMs)
  }
}
