import type { SharedRow } from '../../storage/commit/batch.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { JobKind } from '../../storage/rows/job.ts'

/**
 * Payments that began in one commit share a job row. Each ends in a separate write set, guarded by its state,
 * so a run after a crash skips finished jobs. Once all have been tried, the row is removed, and unfinished
 * jobs get their own rows in the same write set.
 */
export const SHARED_KINDS: ReadonlySet<JobKind> = new Set(['transaction.settle', 'transfer.settle'])

/** A job row that this process runs. */
export class RowUnderWay {
  readonly id: string
  /** Resolves when the row is removed. */
  readonly done: Promise<void>
  /** The payloads of its jobs, for their traces. */
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

  /** Stores the rows of a job that has not ended. */
  addWrites(writes: readonly Write[]): void {
    this.#rest.push(...writes)
  }

  /** Called after each job. After the last one, `commit` gets the writes that remove the row. */
  async endJob(commit: (writes: readonly Write[]) => Promise<unknown>): Promise<void> {
    this.#left -= 1
    if (this.#left > 0) return
    try {
      // Does nothing if another process has removed the row, because this one was slow.
      await commit([{ write: 'remove', table: 'jobs', id: this.id }, ...this.#rest])
    } finally {
      this.#resolve()
    }
  }
}

/** True if these writes only postpone a job, so nothing has happened. */
export function onlyDueWork(writes: readonly Write[]): boolean {
  return writes.every((one) => one.write === 'insert' && one.table === 'jobs')
}
