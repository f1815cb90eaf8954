import { inTime } from './in-time.ts'

/**
 * Who works on the same records goes one after the other, in the order of asking. It spares them from missing each other
 * within this process; what keeps the records right are the guards, in the database.
 */
export class Turns {
  /** Of each record, when all who have asked for it so far are done. */
  readonly #last = new Map<string, Promise<unknown>>()

  /**
   * Waits until nobody who has asked before is at any of these records, `waitMsMax` at most. Gives what ends the turn; undefined
   * for one that has not come in time.
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
    // For all of them at once: so two who want the same records cannot wait for each other.
    for (const record of records) this.#last.set(record, done)
    if (await inTime(waitMsMax, before)) return end
    end()
    return undefined
  }
}
