const BOUNDS = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const

/** Exclusive bounds on the creation and the last change of listed records. */
export type TimeRange = { readonly [B in (typeof BOUNDS)[number]]?: Date }

/** The bounds in a list's query, as times. */
export function timeRange(query: { readonly [B in (typeof BOUNDS)[number]]?: string }): TimeRange {
  const range: { -readonly [B in keyof TimeRange]: TimeRange[B] } = {}
  for (const bound of BOUNDS) {
    const time = timeIfGiven(query[bound])
    if (time !== undefined) range[bound] = time
  }
  return range
}

/** A time from a query; undefined if it is absent. */
export function timeIfGiven(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
