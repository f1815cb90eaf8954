import { getOwnValue } from '@countersign/contract/core/objects'
import type { DocumentTypeName } from '@countersign/contract/customers/documents'
import {
  DOCUMENT_REQUIREMENTS,
  type DocumentRequirementName,
} from '@countersign/contract/customers/verification-requirements'

/** Converts an enum value of the API to words: `UTILITY_BILL` becomes "Utility bill". */
export function humanize(value: string): string {
  const text = value.toLowerCase().replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Converts a label for use within a sentence. */
export function lowerFirstLetter(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

const DOCUMENT_NAMES: Partial<Record<DocumentTypeName, string>> = {
  DRIVERS_LICENSE: "Driver's licence",
  NATIONAL_ID: 'National identity card',
}

export function formatDocumentName(type: string): string {
  return getOwnValue(DOCUMENT_NAMES, type) ?? humanize(type)
}

/** The heading for a required document. */
export function formatRequirementTitle(type: string): string {
  return isRequirement(type) ? `A document that proves ${DOCUMENT_REQUIREMENTS[type].proves}` : 'A document'
}

/** Finds the maximum age of a document in months; null if there is no limit. */
export function getMonthsMax(accepted: readonly string[]): number | null {
  const limitedRequirement = Object.values(DOCUMENT_REQUIREMENTS).find(
    ({ accepted: types, monthsMax }) =>
      monthsMax !== null && accepted.some((type) => types.some((acceptedType) => acceptedType === type)),
  )
  return limitedRequirement?.monthsMax ?? null
}

function isRequirement(type: string): type is DocumentRequirementName {
  return Object.hasOwn(DOCUMENT_REQUIREMENTS, type)
}

/** Formats a date, such as 10 December 1990. */
export function formatDate(date: string): string {
  const time = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(time.getTime())) return date
  return DATES.format(time)
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Joins words to a list: "one", "one and two", "one, two or three". */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
}
