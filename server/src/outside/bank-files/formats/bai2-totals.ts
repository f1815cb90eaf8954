import { type Bai2Fields, parseCount, parseTotal } from './bai2-fields.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadablePart } from './unreadable-file.ts'

/** The total and counts of an account, a group or a file. Its trailer must state the same values. */
export class Bai2Totals {
  /** The sum of all amounts as written, where debits have no sign. */
  total = 0n
  /** The number of physical records, including the first and the last one. */
  records = 0
  /** The number of a group's accounts, or of a file's groups. */
  parts = 0

  add({ total, records }: Bai2Totals): void {
    this.total += total
    this.records += records
    this.parts += 1
  }

  /**
   * Throws UnreadablePart if a trailer differs. `parts` names the parts that it counts in addition to
   * records.
   */
  check(fields: Bai2Fields, parts?: 'accounts' | 'groups'): void {
    const written = fields.optional()
    if (parseTotal(written) !== this.total)
      throw new UnreadablePart(
        `says that its control total is ${quoteForMessage(written)}, but its amounts add up to ${this.total}`,
      )
    if (parts !== undefined) checkCount(parts, fields.optional(), this.parts)
    checkCount('records', fields.optional(), this.records)
  }
}

function checkCount(label: string, written: string, counted: number): void {
  if (parseCount(written) !== counted)
    throw new UnreadablePart(`says that it has ${quoteForMessage(written)} ${label}, but it has ${counted}`)
}
