const BOUNDS = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const

/** Exclusive bounds on when listed records were created or last changed. */
export type TimeRange = { readonly [B in (typeof BOUNDS)[number]]?: Date }

/** Parses the time bounds in the query of a list. */
export function parseTimeRange(query: { readonly [B in (typeof BOUNDS)[number]]?: string }): TimeRange {
  const range: { -readonly [B in keyof TimeRange]: TimeRange[B] } = {}
  for (const bound of BOUNDS) {
    const time = parseOptionalTime(query[bound])
    if (time !== undefined) range[bound] = time
  }
  return range
}

/** Parses a time in a query; undefined if it is absent. */
export function parseOptionalTime(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
