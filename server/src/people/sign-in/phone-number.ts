import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { createFieldError } from '../../kernel/operation/operation.ts'

/**
 * Checks a phone number in E.164 format, such as `+14155550132`. Throws 400 naming the field if the number
 * cannot exist.
 */
export function normalizePhoneNumber(text: string, field: string): string {
  const number = parsePhoneNumberFromString(text)
  if (!number?.isPossible())
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `${field} must be a phone number in E.164 format, such as +14155550132`,
    )
  return number.number
}
