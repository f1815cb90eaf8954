import { isCredit } from './ach-records.ts'

/** The sums in the control record of a batch or a file. */
export class AchTotals {
  entries = 0
  /** The sum of the receiving banks' numbers without check digits. Only its last ten digits are written. */
  #banks = 0n
  debits = 0n
  credits = 0n
  /** True if an entry with an unknown bank or amount was counted. The sums are then lower bounds. */
  hasUnknown = false
  /** The number of unreadable lines that may have been entries or addenda. */
  unknownLines = 0

  add(transactionCode: string, receivingBank: string, amount: bigint, addenda: number): void {
    this.entries += 1 + addenda
    this.#banks += BigInt(receivingBank)
    if (isCredit(transactionCode)) this.credits += amount
    else this.debits += amount
  }

  /** Counts unreadable lines that may have been entries or addenda. */
  addUnknown(lines: number): void {
    this.entries += lines
    this.hasUnknown = true
  }

  addAll(other: AchTotals): void {
    this.entries += other.entries
    this.#banks += other.#banks
    this.debits += other.debits
    this.credits += other.credits
    this.hasUnknown ||= other.hasUnknown
    this.unknownLines += other.unknownLines
  }

  get hash(): bigint {
    return this.#banks % 10_000_000_000n
  }
}
