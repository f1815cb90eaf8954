import type { SharedRow } from '../../storage/commit/batch.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { JobKind } from '../../storage/rows/job.ts'

/**
 * Payments that began in one commit share a row of due work. Each ends in a write set of its own, which its state guards.
 * The row is removed once all of them have been tried; in the same write set, what has not ended gets a row of its own.
 * A crash before that leaves the row: the next run passes over those that have ended.
 */
export const SHARED_KINDS: ReadonlySet<JobKind> = new Set(['transaction.settle', 'transfer.settle'])

/** The jobs of a row that this process runs. */
export class RowUnderWay {
  readonly id: string
  /** Resolves when the row is removed. */
  readonly done: Promise<void>
  /** The payloads of its jobs, for the traces that they are of. */
  readonly payloads: object[] = []
  readonly #rest: Write[] = []
  #left: number
  #resolve = (): void => {}

  constructor({ id, size }: SharedRow) {
    this.id = id
    this.#left = size
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Keeps the rows of a job that has not ended. */
  goesOn(writes: readonly Write[]): void {
    this.#rest.push(...writes)
  }

  /** One of the jobs was tried. After the last one, `commit` gets what takes the row off. */
  async ended(commit: (writes: readonly Write[]) => Promise<unknown>): Promise<void> {
    this.#left -= 1
    if (this.#left > 0) return
    try {
      // Not done where another process has taken the row off, because this one was slow.
      await commit([{ write: 'remove', table: 'jobs', id: this.id }, ...this.#rest])
    } finally {
      this.#resolve()
    }
  }
}

/** Whether these writes only put a job off: nothing has happened. */
export function onlyDueWork(writes: readonly Write[]): boolean {
  return writes.every((one) => one.write === 'insert' && one.table === 'jobs')
}
