/** The minimum time between two reloads: a platform may have a thousand events per second. */
export const PAUSE_MS = 5_000
/** The pause is this many times as long as the reload took, so that expensive queries run less often. */
const PAUSE_PER_READ = 50
const PAUSE_MS_MAX = 300_000

/** Returns the minimum time between the start of two reloads, if the first one took `tookMs`. */
export function getPauseMs(tookMs: number): number {
  return Math.min(Math.max(PAUSE_MS, PAUSE_PER_READ * tookMs), PAUSE_MS_MAX)
}

/** Reloads changed nouns, immediately or after the pause that follows their previous reload. */
export class PacedReads {
  readonly #stale = new Set<string>()
  /** Nouns that are being reloaded or whose pause has not ended. */
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
    }, getPauseMs(tookMs) - tookMs)
  }
}
