import { memberOf } from '@countersign/contract/core/objects'
import type { DocumentTypeName } from '@countersign/contract/customers/documents'
import {
  DOCUMENT_REQUIREMENTS,
  type DocumentRequirementName,
} from '@countersign/contract/customers/verification-requirements'

/** An enum value of the API as people write it: `UTILITY_BILL` becomes "Utility bill". */
export function humanize(word: string): string {
  const text = word.toLowerCase().replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A label as it appears within a sentence. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

const DOCUMENT_WORDS: Partial<Record<DocumentTypeName, string>> = {
  DRIVERS_LICENSE: "Driver's licence",
  NATIONAL_ID: 'National identity card',
}

export function documentName(type: string): string {
  return memberOf(DOCUMENT_WORDS, type) ?? humanize(type)
}

/** The heading for a required document. */
export function requirementTitle(type: string): string {
  return isRequirement(type) ? `A document that proves ${DOCUMENT_REQUIREMENTS[type].proves}` : 'A document'
}

/** The maximum age of a document in months; null if there is no limit. */
export function getMonthsMax(accepted: readonly string[]): number | null {
  const found = Object.values(DOCUMENT_REQUIREMENTS).find(
    ({ accepted: types, monthsMax }) =>
      monthsMax !== null && accepted.some((type) => types.some((one) => one === type)),
  )
  return found?.monthsMax ?? null
}

function isRequirement(type: string): type is DocumentRequirementName {
  return Object.hasOwn(DOCUMENT_REQUIREMENTS, type)
}

/** A date as people write it, such as 10 December 1990. */
export function dateText(date: string): string {
  const time = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(time.getTime())) return date
  return DATES.format(time)
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** A list as people write it: "one", "one and two", "one, two or three". */
export function joinWords(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
