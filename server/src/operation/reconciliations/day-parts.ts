/** The opening and closing balances of a statement, in the smallest unit. */

interface Span {
  readonly opening: bigint
  readonly closing: bigint
}

/** The part of a day that has been received so far. */
export interface KnownDay extends Span {
  readonly count: number
}

/**
 * Another statement for that day. `known` is how many of its entries the day already has with the same
 * amounts.
 */
export interface NewPart extends Span {
  readonly count: number
  readonly known: number
}

export type DayPart =
  /** All of it was received before. */
  | 'repeat'
  /** It begins at the day's last known balance. */
  | 'continues'
  /** It ends at the day's first known balance: the parts arrived out of order. */
  | 'precedes'
  /** It contradicts the earlier statements and has no effect. */
  | 'contradicts'

/** Compares a statement with earlier statements of its day. */
export function classifyPart(day: KnownDay, part: NewPart): DayPart {
  const isSameSpan = part.opening === day.opening && part.closing === day.closing
  const isAllKnown = part.known === part.count
  const isNext = part.opening === day.closing || part.closing === day.opening
  if (isAllKnown && isSameSpan) return 'repeat'
  // It repeats some of the entries. If it also continues the balance, it may be additional money rather than
  // a repeat, and the two cannot be distinguished.
  if (isAllKnown && 0 < part.count && part.count < day.count) return isNext ? 'contradicts' : 'repeat'
  // If a day's closing balance equals its opening balance, the order is ambiguous: a correction looks like a
  // continuation.
  if (day.opening === day.closing) return 'contradicts'
  if (part.opening === day.closing) return 'continues'
  return part.closing === day.opening ? 'precedes' : 'contradicts'
}
