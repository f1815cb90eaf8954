import { inTime } from './timeout.ts'

/**
 * Makes operations on the same records take turns, in the order of their requests, which avoids conflicts
 * within the process. Correctness does not depend on it: the guards in the database ensure that.
 */
export class Turns {
  /** For each record, a promise for the end of all turns requested so far. */
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Waits until all earlier turns at these records are finished, at most `waitMsMax`. Returns the function
   * that ends the turn; undefined on timeout.
   */
  async take(records: readonly string[], waitMsMax: number): Promise<(() => void) | undefined> {
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const before = Promise.all(records.map((record) => this.#last.get(record)))
    const done = Promise.all([before, ended]).then(() => {
      for (const record of records) if (this.#last.get(record) === done) this.#last.delete(record)
    })
    // Queues for all records together, so that two operations on the same records cannot deadlock.
    for (const record of records) this.#last.set(record, done)
    if (await inTime(waitMsMax, before)) return end
    end()
    return undefined
  }
}
