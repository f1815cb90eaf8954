import type { Random } from '../../machine/random.ts'
import type { Entry } from './messages.ts'

/** A part of the day's bookings, reported by one statement. */
export interface Part {
  readonly date: string
  readonly opening: bigint
  readonly closing: bigint
  readonly entries: readonly Entry[]
  /** Set for a page of a statement that is split into two files. */
  readonly page?: { readonly id: string; readonly number: number; readonly isLast: boolean }
}

/** The bank's days. Deposits arrive on the first of them, before the servers' current day. */
const DATES = ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15']
const CHARGE: Entry = { cents: -1n, code: ['ACMT', 'MDOP', 'CHRG'], details: [], text: 'Charges' }

/** The bank's own ledger of the account, including bookings that are on no statement yet. */
export class Books {
  balance = 0n
  /** The sum of incoming payments, without returns. */
  received = 0n
  readonly #random: Random
  /** False for a bank whose format does not support pages. */
  readonly #hasPages: boolean
  #day = 0
  #entries: Entry[] = []
  /** The account's balances at the end of each part of the day. */
  #balances = new Set([0n])

  constructor(random: Random, hasPages: boolean) {
    this.#random = random
    this.#hasPages = hasPages
  }

  bookEntry(entry: Entry): void {
    this.#entries.push(entry)
  }

  /** Books an incoming payment. */
  bookDeposit(entry: Entry): void {
    this.received += entry.cents
    this.bookEntry(entry)
  }

  get hasEntries(): boolean {
    return this.#entries.length > 0
  }

  /** The date on which entries are currently booked. */
  get date(): string {
    return DATES[this.#day] ?? ''
  }

  /** Ends the day if there is a next one and all bookings are in parts. */
  closeDay(): void {
    if (this.hasEntries || this.#day + 1 === DATES.length) return
    this.#day += 1
    this.#balances = new Set([this.balance])
  }

  /** Moves the bookings into one part of the day, or into two parts that are pages of one statement. */
  cutParts(pageId: string): Part[] {
    const entries = this.#entries
    this.#entries = []
    // The balance between two pages follows from their entries, so all entries must be readable. If all
    // entries of a page also occurred on the other page, they could be the same money reported twice.
    const isDivisible =
      new Set(entries).size === entries.length && !entries.some(({ isUnreadable }) => isUnreadable)
    const isPaged = this.#hasPages && entries.length > 1 && isDivisible && this.#random.chance(0.2)
    if (!isPaged) return [this.#buildPart(entries)]
    const middle = 1 + this.#random.integerBelow(entries.length - 1)
    const pages = [entries.slice(0, middle), entries.slice(middle)]
    return pages.map((page, index) => ({
      ...this.#buildPart(page),
      page: { id: pageId, number: index + 1, isLast: index === 1 },
    }))
  }

  /**
   * Charges the account a cent if a part would end at a balance that has already occurred on this day. If a
   * day ended where it began, the order of its parts could not be determined.
   */
  #buildPart(entries: readonly Entry[]): Part {
    const opening = this.balance
    const bookedEntries = [...entries]
    let closing = opening + bookedEntries.reduce((sum, { cents }) => sum + cents, 0n)
    for (; this.#balances.has(closing); closing += CHARGE.cents)
      bookedEntries.push({ ...CHARGE, text: `Charges ${bookedEntries.length}` })
    this.#balances.add(closing)
    this.balance = closing
    return { date: this.date, opening, closing, entries: bookedEntries }
  }
}
