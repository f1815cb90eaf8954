import { IANAZone } from 'luxon'
import { createFieldError } from './operation.ts'

/** Throws 400 `INVALID_INPUT`, naming `field`, for a zone that is not in the time zone database. */
export function checkTimeZone(timeZone: string, field = 'timeZone'): void {
  if (IANAZone.isValidZone(timeZone)) return
  throw createFieldError(
    'INVALID_INPUT',
    field,
    'timeZone must be the name of a time zone, such as Europe/Berlin',
  )
}
