import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'

/**
 * Compares a rail's account in the ledger with the bank's statements in one currency. Amounts are in the
 * smallest unit; incoming money is positive.
 */

/** A day's statement as sent by the bank, with the sum of its entries. */
export interface StatedDay {
  readonly date: string
  readonly opening: bigint
  readonly closing: bigint
  readonly sum: bigint
}

/**
 * A payment, pull or deposit with everything that belongs to it, according to the ledger (`ours`) and to the
 * statements (`theirs`).
 */
export interface Item {
  /** The id of its transaction, or of a deposit without a transaction. */
  readonly id: string
  /** The sum of its ledger transfers: all of them, and those until the end of the day. */
  readonly ours: bigint
  readonly oursByCut: bigint
  /** The time of its first ledger transfer; undefined without transfers. */
  readonly oursSince: Date | undefined
  /** The sum of its entries in all statements up to this one, and the time of the first. */
  readonly theirs: bigint
  readonly theirsSince: Date | undefined
  /** True if two of its entries are of the same kind. */
  readonly isTwice: boolean
  /** `here` if the rail has carried it in this currency. */
  readonly known: 'here' | 'other-currency' | 'unknown'
}

/** A statement entry that no record explains and that was not booked automatically. */
export interface OpenEntry {
  readonly id: string
  readonly amount: bigint
  readonly bookedAt: Date
  readonly reason: 'REPEATED_ENTRY' | 'UNEXPLAINED'
}

/** An amount that only the statement or only the ledger contains. */
export interface Difference {
  readonly reason: DifferenceReason
  /** The statement minus the ledger. */
  readonly amount: bigint
  readonly since: Date
  /** The id of the payment, deposit or entry. Omitted if the difference concerns the statement as a whole. */
  readonly about?: string
}

/**
 * The current balance of the rail's account, and the part of it booked automatically from entries of
 * later statements.
 */
export interface Balance {
  readonly posted: bigint
  readonly bookedLater: bigint
}

export interface Comparison {
  /** The ledger's balance plus these differences is the statement's closing balance. */
  readonly differences: readonly Difference[]
  /** The balance of the rail's account without its later ledger transfers. */
  readonly balance: bigint
  /** The sum of ledger transfers since the end of the day that later statements will contain. */
  readonly later: bigint
}

/**
 * Compares the last of `days` with the rail's account. `items` must include every item whose sides may
 * differ. The differences, including any unexplained remainder, add up to the closing balance minus the
 * ledger balance.
 */
export function compare(
  days: readonly StatedDay[],
  items: readonly Item[],
  entries: readonly OpenEntry[],
  { posted, bookedLater }: Balance,
): Comparison {
  const last = days.at(-1)
  if (!last) throw new Error('at least one statement is needed to compare')
  const later = items.reduce((sum, item) => sum + computeLaterAmount(item), bookedLater)
  const balance = posted - later
  const explained = [
    ...days.flatMap(findDayDifferences),
    ...items.flatMap(findItemDifferences),
    ...entries.map(toDifference),
  ]
  const sum = explained.reduce((total, { amount }) => total + amount, 0n)
  const remainder = last.closing - balance - sum
  return {
    differences:
      remainder === 0n
        ? explained
        : [...explained, { reason: 'UNACCOUNTED', amount: remainder, since: startOfDay(last) }],
    balance,
    later,
  }
}

/** The item's ledger transfers after the end of the day, if both sides were equal by then. */
function computeLaterAmount({ ours, oursByCut, theirs }: Item): bigint {
  return ours !== theirs && oursByCut === theirs ? ours - oursByCut : 0n
}

function findItemDifferences(item: Item): Difference[] {
  const { id, ours, oursByCut, theirs, oursSince, theirsSince } = item
  if (ours === theirs || oursByCut === theirs) return []
  const since = pickEarlier(theirsSince, oursSince)
  if (!since) throw new Error(`${id} differs, but neither side contains it`)
  return [{ reason: findReason(item), amount: theirs - ours, since, about: id }]
}

function findReason({ known, isTwice, theirsSince, oursSince }: Item): DifferenceReason {
  if (known === 'other-currency') return 'OTHER_CURRENCY'
  if (known === 'unknown') return 'UNKNOWN'
  if (isTwice) return 'BOOKED_TWICE'
  if (theirsSince === undefined) return 'NOT_IN_STATEMENT'
  return oursSince === undefined ? 'NOT_IN_BOOKS' : 'OTHER_AMOUNT'
}

/**
 * Differences within the statements: a statement that does not continue the previous balance, or does not add
 * up.
 */
function findDayDifferences(day: StatedDay, index: number, days: readonly StatedDay[]): Difference[] {
  const before = days[index - 1]
  const gap = day.opening - (before?.closing ?? 0n)
  const wrong = day.closing - day.opening - day.sum
  const since = startOfDay(day)
  return [
    ...(gap === 0n
      ? []
      : [{ reason: before ? 'BALANCE_GAP' : 'OPENING_BALANCE', amount: gap, since } as const]),
    ...(wrong === 0n ? [] : [{ reason: 'WRONG_SUM', amount: wrong, since } as const]),
  ]
}

function toDifference({ id, amount, bookedAt, reason }: OpenEntry): Difference {
  return { reason, amount, since: bookedAt, about: id }
}

function startOfDay({ date }: StatedDay): Date {
  return new Date(`${date}T00:00:00Z`)
}

function pickEarlier(left: Date | undefined, right: Date | undefined): Date | undefined {
  if (!left || !right) return left ?? right
  return left < right ? left : right
}
