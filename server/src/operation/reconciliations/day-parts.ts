/** Compares a statement with earlier statements of its day. Pure. Amounts are in the smallest unit. */

interface Span {
  readonly opening: bigint
  readonly closing: bigint
}

/** The part of a day that has arrived so far. */
export interface KnownDay extends Span {
  readonly count: number
}

/** A statement of that day, and how many of its entries the day has already, with the same amounts. */
export interface NewPart extends Span {
  readonly count: number
  readonly known: number
}

export type DayPart =
  /** All of it is known. */
  | 'repeat'
  /** It begins where the day has ended so far. */
  | 'continues'
  /** It ends where the day begins so far: the parts came in another order. */
  | 'precedes'
  /** It says otherwise, and has no effect at all. */
  | 'contradicts'

export function partOfDay(day: KnownDay, part: NewPart): DayPart {
  const isSameSpan = part.opening === day.opening && part.closing === day.closing
  const isAllKnown = part.known === part.count
  const isNext = part.opening === day.closing || part.closing === day.opening
  if (isAllKnown && isSameSpan) return 'repeat'
  // The words of some earlier entries: the same money again, or, as the balance may say, more of it. Nobody can tell.
  if (isAllKnown && 0 < part.count && part.count < day.count) return isNext ? 'contradicts' : 'repeat'
  // A day that ends where it began shows no order: a correction of it looks like what follows.
  if (day.opening === day.closing) return 'contradicts'
  if (part.opening === day.closing) return 'continues'
  return part.closing === day.opening ? 'precedes' : 'contradicts'
}
