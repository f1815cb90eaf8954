import type { SharedRow } from '../../storage/commit/batch.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { JobKind } from '../../storage/rows/job.ts'

/**
 * Payments started in one commit share a job row. Each finishes in its own write set, guarded by its state,
 * so a run after a crash skips those that are finished. Once all were tried, one write set removes the row
 * and adds a separate row for each unfinished job.
 */
export const SHARED_KINDS: ReadonlySet<JobKind> = new Set(['transaction.settle', 'transfer.settle'])

/** A job row that this process is running. */
export class RunningRow {
  readonly id: string
  /** Resolves when the row is removed. */
  readonly done: Promise<void>
  /** The payloads of the jobs so far, for their traces. */
  readonly payloads: object[] = []
  readonly #postponed: Write[] = []
  #jobsLeft: number
  #resolve = (): void => {}

  constructor({ id, size }: SharedRow) {
    this.id = id
    this.#jobsLeft = size
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Collects the new rows of postponed jobs. */
  addWrites(writes: readonly Write[]): void {
    this.#postponed.push(...writes)
  }

  /** Called after each job. After the last one, passes `commit` the writes that remove the row. */
  async endJob(commit: (writes: readonly Write[]) => Promise<unknown>): Promise<void> {
    this.#jobsLeft -= 1
    if (this.#jobsLeft > 0) return
    try {
      // Has no effect if this process was slow and another one has already removed the row.
      await commit([{ write: 'remove', table: 'jobs', id: this.id }, ...this.#postponed])
    } finally {
      this.#resolve()
    }
  }
}

/** True if these writes just postpone the job, which has done nothing else. */
export function isOnlyDueWork(writes: readonly Write[]): boolean {
  return writes.every((write) => write.write === 'insert' && write.table === 'jobs')
}
