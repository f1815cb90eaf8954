import type { RecordTable, Write } from '../../storage/commit/writes.ts'

/** A worker that runs repeatedly, in addition to requests and jobs. */
export interface Background {
  /** Starts a run now, or another one after the run in progress. */
  wake(): void
  /** Stops the worker after the run in progress. */
  stop(): Promise<void>
  /** Absent if the worker does not run at an interval. */
  readonly heartbeat?: Heartbeat
}

export interface Heartbeat {
  readonly intervalMs: number
  /** Milliseconds since the last successful run, or since the start. */
  quietMs(): number
}

/** A worker and the time since its last successful run. */
export interface WorkerState {
  readonly name: string
  readonly quietMs: number
  /** If no run has succeeded for longer than this, the worker counts as stalled. */
  readonly limitMs: number
}

/** A run may take several minutes, for example if a bank is slow. */
const STALLED_MS_MIN = 5 * 60 * 1000
const STALLED_INTERVALS = 3

/** Wakes that occur within this time share one run. */
const WAKE_GAP_MS = 20

/**
 * Runs work at an interval and whenever it is woken, one run at a time; the first run starts immediately if
 * `startsImmediately`. After each run it pauses for `restRatio` times the duration of the run, at most one interval.
 * A failed run calls `onFailure` and does not prevent later runs.
 */
export function runInBackground(
  intervalMs: number,
  run: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
  {
    startsImmediately = false,
    restRatio = 0,
  }: { readonly startsImmediately?: boolean; readonly restRatio?: number } = {},
): Background {
  let current: Promise<unknown> | undefined
  let isStopped = false
  let isWoken = false
  let gap: NodeJS.Timeout | undefined
  let succeededMs = performance.now()
  const start = () => {
    if (isStopped || current || gap) return
    isWoken = false
    const startedMs = performance.now()
    current = run()
      .then(() => {
        succeededMs = performance.now()
      })
      .catch(onFailure)
      .finally(() => {
        current = undefined
        const restMs = Math.min(intervalMs, restRatio * (performance.now() - startedMs))
        if (!isStopped) gap = setTimeout(endGap, Math.max(WAKE_GAP_MS, restMs)).unref()
      })
  }
  const endGap = () => {
    gap = undefined
    if (isWoken) start()
  }
  const timer = setInterval(start, intervalMs).unref()
  if (startsImmediately) start()
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
    heartbeat: { intervalMs, quietMs: () => performance.now() - succeededMs },
  }
}

/**
 * The workers of a process. A commit that adds a row to the queue of a worker wakes it, so that no work waits
 * for the interval.
 */
export class Workers {
  readonly #all = new Set<Background>()
  readonly #byQueue = new Map<RecordTable | 'events', Background>()
  readonly #heartbeats = new Map<string, Heartbeat>()

  /** New rows of the table `queue` wake the worker. A worker with a `name` is monitored. */
  add(worker: Background, queue?: RecordTable | 'events', name?: string): void {
    this.#all.add(worker)
    if (queue) this.#byQueue.set(queue, worker)
    if (name !== undefined && worker.heartbeat) this.#heartbeats.set(name, worker.heartbeat)
  }

  /** The monitored workers, in the order in which they were added. */
  states(): WorkerState[] {
    return [...this.#heartbeats].map(([name, { intervalMs, quietMs }]) => ({
      name,
      quietMs: quietMs(),
      limitMs: Math.max(STALLED_MS_MIN, STALLED_INTERVALS * intervalMs),
    }))
  }

  /** Wakes the workers whose queues have new rows. */
  wakeQueues(writes: readonly Write[]): void {
    if (this.#byQueue.size === 0) return
    for (const write of writes) {
      if (write.write === 'insert') this.#byQueue.get(write.table)?.wake()
      else if (write.write === 'event') this.#byQueue.get('events')?.wake()
    }
  }

  wake(): void {
    for (const worker of this.#all) worker.wake()
  }

  /** Stops the workers one after another. */
  async stop(): Promise<void> {
    for (const worker of this.#all) await worker.stop()
  }
}
