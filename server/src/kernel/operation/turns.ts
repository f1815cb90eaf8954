import { withTimeout } from './timeout.ts'

/**
 * Makes operations on the same records take turns in the order of arrival, which avoids conflicts within the
 * process. Correctness does not depend on this, because the database checks the guards.
 */
export class Turns {
  /** For each record, a promise that resolves when all turns requested so far have ended. */
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Waits up to `waitMsMax` until all earlier turns at these records have ended. Returns a function that ends
   * the turn, or undefined on timeout.
   */
  async take(records: readonly string[], waitMsMax: number): Promise<(() => void) | undefined> {
    let endTurn = (): void => {}
    const turnEnded = new Promise<void>((resolve) => {
      endTurn = resolve
    })
    const before = Promise.all(records.map((record) => this.#last.get(record)))
    const done = Promise.all([before, turnEnded]).then(() => {
      for (const record of records) if (this.#last.get(record) === done) this.#last.delete(record)
    })
    // Queues at all records together, so that two operations on the same records cannot deadlock.
    for (const record of records) this.#last.set(record, done)
    if (await withTimeout(waitMsMax, before)) return endTurn
    endTurn()
    return undefined
  }
}
