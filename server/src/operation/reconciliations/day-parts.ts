/** Compares a statement with earlier statements of its day. Pure. Amounts are in the smallest unit. */

interface Span {
  readonly opening: bigint
  readonly closing: bigint
}

/** The part of a day received so far. */
export interface KnownDay extends Span {
  readonly count: number
}

/** A statement for that day, and the number of its entries that the day already has with the same amounts. */
export interface NewPart extends Span {
  readonly count: number
  readonly known: number
}

export type DayPart =
  /** All of it is known. */
  | 'repeat'
  /** It continues the last known balance of the day. */
  | 'continues'
  /** It ends at the first known balance of the day: the parts arrived in another order. */
  | 'precedes'
  /** It contradicts them, and has no effect at all. */
  | 'contradicts'

export function partOfDay(day: KnownDay, part: NewPart): DayPart {
  const isSameSpan = part.opening === day.opening && part.closing === day.closing
  const isAllKnown = part.known === part.count
  const isNext = part.opening === day.closing || part.closing === day.opening
  if (isAllKnown && isSameSpan) return 'repeat'
  // It repeats the text of some earlier entries: the same money, or by the balance possibly additional money.
  // It cannot be decided.
  if (isAllKnown && 0 < part.count && part.count < day.count) return isNext ? 'contradicts' : 'repeat'
  // A day whose closing balance equals its opening balance shows no order: a correction looks like a
  // continuation.
  if (day.opening === day.closing) return 'contradicts'
  if (part.opening === day.closing) return 'continues'
  return part.closing === day.opening ? 'precedes' : 'contradicts'
}
