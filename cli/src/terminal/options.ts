import { Failure } from './failure.ts'

/** Converts a date or time to the API's format. Throws Failure for other text. */
export function readTime(text: string, option: string): string
export function readTime(text: string | undefined, option: string): string | undefined
export function readTime(text: string | undefined, option: string): string | undefined {
  if (text === undefined) return undefined
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  if (!/^\d{4}-\d\d-\d\dT/.test(whole) || Number.isNaN(Date.parse(whole)))
    throw new Failure(`${option} must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "${text}".`)
  return whole
}
