import { fieldError } from './operation.ts'

const BOUNDS = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const

/** Bounds on the creation and the last change of what is listed; each excludes the time it names. */
export type TimeRange = { readonly [B in (typeof BOUNDS)[number]]?: Date }

/**
 * The bounds of a list's query as times. The format lets through what has no counterpart in the database: the year 0,
 * leap seconds, years that only a time zone makes five digits long.
 * Error: 400 `INVALID_INPUT` that names the bound.
 */
export function timeRange(query: { readonly [B in (typeof BOUNDS)[number]]?: string }): TimeRange {
  const range: { -readonly [B in keyof TimeRange]: TimeRange[B] } = {}
  for (const bound of BOUNDS) {
    const text = query[bound]
    if (text === undefined) continue
    const time = new Date(text)
    if (!(time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999))
      throw fieldError('INVALID_INPUT', bound, `${bound} is not a time that can be compared with`)
    range[bound] = time
  }
  return range
}
