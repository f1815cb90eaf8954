import type { MatchSign } from '@countersign/contract/operation/reconciliation-matches'

/** An unexplained statement line. Amounts are in the smallest unit; money in is positive. */
export interface OpenLine {
  readonly id: string
  readonly amount: bigint
  readonly atMs: number
  /** The bank's text, including its own reference. */
  readonly text: string
}

/** A payment or deposit whose lines and bookings differ. */
export interface OpenPayment {
  readonly id: string
  /** The sum of its ledger transfers. */
  readonly booked: bigint
  /** The statement lines that refer to it, and their sum. */
  readonly lineIds: readonly string[]
  readonly lineSum: bigint
  readonly atMs: number
  readonly references: readonly string[]
  readonly names: readonly string[]
}

/** The amount that the bank still has to book until its lines agree with the ledger. */
export function computeOutstandingAmount({ booked, lineSum }: OpenPayment): bigint {
  return booked - lineSum
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Dates agree if no more than a weekend lies between them. */
const NEAR_DAYS = 3
/** Shorter references and shorter words of names would match too many lines. */
const REFERENCE_CHARACTERS_MIN = 6
const NAME_WORD_CHARACTERS_MIN = 3

/** A text's letters and digits in upper case. */
function toLetters(text: string): string {
  return text.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

export function splitWords(text: string): readonly string[] {
  return text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A payment's references without spaces and punctuation, as banks repeat them. */
export function getReferences({ references }: OpenPayment): readonly string[] {
  return references.map(toLetters).filter((reference) => reference.length >= REFERENCE_CHARACTERS_MIN)
}

/** The significant words of each name of a payment. */
export function getNameWords({ names }: OpenPayment): readonly (readonly string[])[] {
  return names
    .map((name) => splitWords(name).filter((word) => word.length >= NAME_WORD_CHARACTERS_MIN))
    .filter((words) => words.length > 0)
}

/** The number of days between two moments. */
export function countDaysApart(left: { readonly atMs: number }, right: { readonly atMs: number }): number {
  return Math.abs(left.atMs - right.atMs) / DAY_MS
}

export function isNear(left: { readonly atMs: number }, right: { readonly atMs: number }): boolean {
  return countDaysApart(left, right) <= NEAR_DAYS
}

/** The signs that a line and a payment belong together, from text and dates. */
export function findTextSigns(line: OpenLine, payment: OpenPayment): MatchSign[] {
  const words = new Set(splitWords(line.text))
  const hasReference = getReferences(payment).some((reference) => words.has(reference))
  const hasName = getNameWords(payment).some((name) => name.every((word) => words.has(word)))
  return [
    ...(hasReference ? (['REFERENCE'] as const) : []),
    ...(hasName ? (['NAME'] as const) : []),
    ...(isNear(line, payment) ? (['DATE'] as const) : []),
  ]
}
