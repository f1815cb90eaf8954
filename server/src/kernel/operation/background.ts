import type { RecordTable, Write } from '../../storage/commit/writes.ts'

/** Work that a process repeats, next to requests and jobs. */
export interface Background {
  /** Runs it now; if a run is in progress, once more after that. */
  wake(): void
  /** Ends it, after the run in progress. */
  stop(): Promise<void>
}

/** Wakes that come faster than this share a run. */
const WAKE_GAP_MS = 20

/**
 * Runs work every so many milliseconds and at each wake, one run at a time; at once if it `beginsNow`. `onFailure` gets the
 * error of a failed run; the next run comes all the same.
 */
export function inBackground(
  intervalMs: number,
  run: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
  beginsNow = false,
): Background {
  let current: Promise<unknown> | undefined
  let isStopped = false
  let isWoken = false
  let gap: NodeJS.Timeout | undefined
  const start = () => {
    if (isStopped || current || gap) return
    isWoken = false
    current = run()
      .catch(onFailure)
      .finally(() => {
        current = undefined
        if (!isStopped) gap = setTimeout(endGap, WAKE_GAP_MS).unref()
      })
  }
  const endGap = () => {
    gap = undefined
    if (isWoken) start()
  }
  const timer = setInterval(start, intervalMs).unref()
  if (beginsNow) start()
  return {
    wake() {
      isWoken = true
      start()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(gap)
      await current
    },
  }
}

/** The workers of a process. A commit that adds a row to the queue of one wakes it, so that nothing waits for its interval. */
export class Workers {
  readonly #all = new Set<Background>()
  readonly #byQueue = new Map<RecordTable | 'events', Background>()

  /** `queue` is the table whose new rows are work for it. */
  add(worker: Background, queue?: RecordTable | 'events'): void {
    this.#all.add(worker)
    if (queue) this.#byQueue.set(queue, worker)
  }

  /** Wakes those that wait for what was written. */
  committed(writes: readonly Write[]): void {
    if (this.#byQueue.size === 0) return
    for (const write of writes) {
      if (write.write === 'insert') this.#byQueue.get(write.table)?.wake()
      else if (write.write === 'event') this.#byQueue.get('events')?.wake()
    }
  }

  /** Wakes all of them. */
  wake(): void {
    for (const worker of this.#all) worker.wake()
  }

  /** Stops one after the other. */
  async stop(): Promise<void> {
    for (const worker of this.#all) await worker.stop()
  }
}
