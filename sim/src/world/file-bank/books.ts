import type { Random } from '../../machine/random.ts'
import type { Entry } from './messages.ts'

/** A part of the account's day, as one statement reports it. */
export interface Part {
  readonly date: string
  readonly opening: bigint
  readonly closing: bigint
  readonly entries: readonly Entry[]
  /** One of two pages that come in two files. */
  readonly page?: { readonly id: string; readonly number: number; readonly isLast: boolean }
}

/** The days of the bank. Deposits arrive on the first ones, before the servers' current day. */
const DATES = ['2026-01-12', '2026-01-13', '2026-01-14', '2026-01-15']
const CHARGE: Entry = { cents: -1n, code: ['ACMT', 'MDOP', 'CHRG'], details: [], text: 'Charges' }

/** The account at the bank, with bookings that are not on a statement yet. */
export class Books {
  balance = 0n
  /** The sum of payments received, without returns. */
  received = 0n
  readonly #random: Random
  /** False for a bank whose format has no pages. */
  readonly #hasPages: boolean
  #day = 0
  #entries: Entry[] = []
  /** The balances of the day, at the ends of its parts. */
  #balances = new Set([0n])

  constructor(random: Random, hasPages: boolean) {
    this.#random = random
    this.#hasPages = hasPages
  }

  book(entry: Entry): void {
    this.#entries.push(entry)
  }

  /** Books money that somebody has paid in. */
  receive(entry: Entry): void {
    this.received += entry.cents
    this.book(entry)
  }

  get hasEntries(): boolean {
    return this.#entries.length > 0
  }

  /** The date on which entries are booked now. */
  get date(): string {
    return DATES[this.#day] ?? ''
  }

  /** Ends the day if it has a next one and all of it is in parts. */
  closeDay(): void {
    if (this.hasEntries || this.#day + 1 === DATES.length) return
    this.#day += 1
    this.#balances = new Set([this.balance])
  }

  /** Moves bookings into a part of the day, or into two that are pages. */
  cut(pageId: string): Part[] {
    const entries = this.#entries
    this.#entries = []
    // The balance between two pages follows from their entries, so that all have to be readable. A page of nothing but entries that
    // the other one has as well could be the same money again.
    const isDivisible =
      new Set(entries).size === entries.length && !entries.some(({ isUnreadable }) => isUnreadable)
    const isPaged = this.#hasPages && entries.length > 1 && isDivisible && this.#random.chance(0.2)
    if (!isPaged) return [this.#part(entries)]
    const middle = 1 + this.#random.integerBelow(entries.length - 1)
    const pages = [entries.slice(0, middle), entries.slice(middle)]
    return pages.map((page, index) => ({
      ...this.#part(page),
      page: { id: pageId, number: index + 1, isLast: index === 1 },
    }))
  }

  /**
   * Charges the account a cent if a part would end at a balance that the day has had: a day that ends where
   * it began does not show the order of its parts.
   */
  #part(entries: readonly Entry[]): Part {
    const opening = this.balance
    const all = [...entries]
    let closing = opening + all.reduce((sum, { cents }) => sum + cents, 0n)
    for (; this.#balances.has(closing); closing += CHARGE.cents)
      all.push({ ...CHARGE, text: `Charges ${all.length}` })
    this.#balances.add(closing)
    this.balance = closing
    return { date: this.date, opening, closing, entries: all }
  }
}
