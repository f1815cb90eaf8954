import { isCredit } from './ach-records.ts'

/** The sums that the control of a batch or a file states. */
export class AchTotals {
  entries = 0
  /** The sum of the receiving banks' numbers, without their check digits; its last ten digits are written. */
  #banks = 0n
  debits = 0n
  credits = 0n
  /** True if an entry was counted whose bank or amount could not be read: then sums are at least these. */
  hasUnknown = false
  /** Lines that may have been entries or addenda, and could not be told apart. */
  unknownLines = 0

  add(transactionCode: string, receivingBank: string, amount: bigint, addenda: number): void {
    this.entries += 1 + addenda
    this.#banks += BigInt(receivingBank)
    if (isCredit(transactionCode)) this.credits += amount
    else this.debits += amount
  }

  /** Counts lines of entries and addenda of which nothing else is known. */
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
