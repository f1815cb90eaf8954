import type { DifferenceReason } from '@countersign/contract/operation/reconciliations'

/**
 * Compares a rail's ledger account with the bank's statements, in one currency. Amounts are in the smallest
 * unit; incoming money is positive.
 */

/** A statement of one day, as the bank sent it, with the sum of its entries. */
export interface StatedDay {
  readonly date: string
  readonly opening: bigint
  readonly closing: bigint
  readonly sum: bigint
}

/** One payment, pull or deposit with all that belongs to it, as both sides have it. */
export interface Item {
  /** The id of its transaction, or of a deposit without a transaction. */
  readonly id: string
  /** The ledger's movements for it: all of them, and those until the end of the day. */
  readonly ours: bigint
  readonly oursByCut: bigint
  /** The first of these movements. Undefined: none. */
  readonly oursSince: Date | undefined
  /** The sum of its entries on all statements up to this one, and the first of them. */
  readonly theirs: bigint
  readonly theirsSince: Date | undefined
  /** True if two of its entries have the same kind. */
  readonly isTwice: boolean
  /** 'here' if the rail has carried it in this currency. */
  readonly known: 'here' | 'other-currency' | 'unknown'
}

/** A statement entry that belongs to no record and was not booked automatically. */
export interface OpenEntry {
  readonly id: string
  readonly amount: bigint
  readonly bookedAt: Date
  readonly reason: 'REPEATED_ENTRY' | 'UNEXPLAINED'
}

/** An amount that only the statement or only the ledger has. */
export interface Difference {
  readonly reason: DifferenceReason
  /** The statement minus the ledger. */
  readonly amount: bigint
  readonly since: Date
  /** The payment, deposit or entry that it is about; left out for a statement as a whole. */
  readonly about?: string
}

/** The ledger account's balance now, and the part that entries of later statements booked automatically. */
export interface Balance {
  readonly posted: bigint
  readonly bookedLater: bigint
}

export interface Comparison {
  /** The statement's closing balance is the ledger's balance and the sum of these. */
  readonly differences: readonly Difference[]
  /** The ledger account's balance, without its later movements. */
  readonly balance: bigint
  /** The ledger's movements since the end of the day, which later statements have. */
  readonly later: bigint
}

/**
 * Compares the last of `days` with the ledger's account. `items` are all items whose two sides may differ.
 * The differences sum exactly to the closing balance minus the balance: the unexplained rest is one of them.
 */
export function compare(
  days: readonly StatedDay[],
  items: readonly Item[],
  entries: readonly OpenEntry[],
  { posted, bookedLater }: Balance,
): Comparison {
  const last = days.at(-1)
  if (!last) throw new Error('There is no statement to compare with')
  const later = items.reduce((sum, item) => sum + laterOf(item), bookedLater)
  const balance = posted - later
  const named = [...days.flatMap(differencesOfDay), ...items.flatMap(differenceOfItem), ...entries.map(open)]
  const sum = named.reduce((total, { amount }) => total + amount, 0n)
  const rest = last.closing - balance - sum
  return {
    differences:
      rest === 0n ? named : [...named, { reason: 'UNACCOUNTED', amount: rest, since: startOf(last) }],
    balance,
    later,
  }
}

/** The ledger's movements for an item after the day, if both sides agreed at its end. */
function laterOf({ ours, oursByCut, theirs }: Item): bigint {
  return ours !== theirs && oursByCut === theirs ? ours - oursByCut : 0n
}

function differenceOfItem(item: Item): Difference[] {
  const { id, ours, oursByCut, theirs, oursSince, theirsSince } = item
  if (ours === theirs || oursByCut === theirs) return []
  const since = earliest(theirsSince, oursSince)
  if (!since) throw new Error(`${id} differs, and neither side has it`)
  return [{ reason: reasonOf(item), amount: theirs - ours, since, about: id }]
}

function reasonOf({ known, isTwice, theirsSince, oursSince }: Item): DifferenceReason {
  if (known === 'other-currency') return 'OTHER_CURRENCY'
  if (known === 'unknown') return 'UNKNOWN'
  if (isTwice) return 'BOOKED_TWICE'
  if (theirsSince === undefined) return 'NOT_IN_STATEMENT'
  return oursSince === undefined ? 'NOT_IN_BOOKS' : 'OTHER_AMOUNT'
}

/** The differences in a statement that does not continue the previous balance, or does not add up. */
function differencesOfDay(day: StatedDay, index: number, days: readonly StatedDay[]): Difference[] {
  const before = days[index - 1]
  const gap = day.opening - (before?.closing ?? 0n)
  const wrong = day.closing - day.opening - day.sum
  const since = startOf(day)
  return [
    ...(gap === 0n
      ? []
      : [{ reason: before ? 'BALANCE_GAP' : 'OPENING_BALANCE', amount: gap, since } as const]),
    ...(wrong === 0n ? [] : [{ reason: 'WRONG_SUM', amount: wrong, since } as const]),
  ]
}

function open({ id, amount, bookedAt, reason }: OpenEntry): Difference {
  return { reason, amount, since: bookedAt, about: id }
}

function startOf({ date }: StatedDay): Date {
  return new Date(`${date}T00:00:00Z`)
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (!one || !other) return one ?? other
  return one < other ? one : other
}
