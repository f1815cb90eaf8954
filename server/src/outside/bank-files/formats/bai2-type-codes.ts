/** BAI2 type codes: three digits that classify an amount. Only codes that have an effect here are listed. */

/** The kind of an amount: a balance or other fact about the account, incoming money, or outgoing money. */
export type TypeCodeKind = 'STATUS' | 'CREDIT' | 'DEBIT' | 'UNKNOWN'

/** Ranges of codes. Banks define their own codes from 900 on. Loans (700 to 899) have no direction. */
const RANGES: readonly (readonly [from: number, to: number, kind: TypeCodeKind])[] = [
  [10, 99, 'STATUS'],
  [100, 399, 'CREDIT'],
  [400, 699, 'DEBIT'],
  [900, 919, 'STATUS'],
  [920, 959, 'CREDIT'],
  [960, 999, 'DEBIT'],
]

/** The issuer name of these type codes, which distinguishes them from ISO 20022 codes and the bank's own. */
export const BAI2_ISSUER = 'BAI2'

export const OPENING_LEDGER = '010'
export const CLOSING_LEDGER = '015'
export const TOTAL_CREDITS = '100'
export const TOTAL_DEBITS = '400'

/**
 * `RETURN`: a payment was returned, or the bank reverses a booking. `SUM`: a single booking of several
 * payments.
 */
export type TypeCodeMeaning = 'FEE' | 'INTEREST' | 'RETURN' | 'SUM'

interface TypeCode {
  readonly words: string
  readonly meaning: TypeCodeMeaning
}

export const TYPE_CODES: Readonly<Record<string, TypeCode>> = {
  166: { words: 'Settlement of ACH items, credit', meaning: 'SUM' },
  168: { words: 'Settlement of returned ACH items, credit', meaning: 'RETURN' },
  252: { words: 'Reversed debit', meaning: 'RETURN' },
  255: { words: 'Check that was posted and returned', meaning: 'RETURN' },
  257: { words: 'Returned ACH item, credit', meaning: 'RETURN' },
  258: { words: 'Reversed ACH item, credit', meaning: 'RETURN' },
  261: { words: 'Rejected item, credit', meaning: 'RETURN' },
  266: { words: 'Returned item, credit', meaning: 'RETURN' },
  354: { words: 'Interest earned', meaning: 'INTEREST' },
  359: { words: 'Correction of interest, credit', meaning: 'INTEREST' },
  398: { words: 'Refunded fee', meaning: 'FEE' },
  447: { words: 'Funding of ACH payments', meaning: 'SUM' },
  466: { words: 'Settlement of ACH items, debit', meaning: 'SUM' },
  468: { words: 'Settlement of returned ACH items, debit', meaning: 'RETURN' },
  552: { words: 'Reversed credit', meaning: 'RETURN' },
  555: { words: 'Deposited item that was returned', meaning: 'RETURN' },
  557: { words: 'Returned ACH item, debit', meaning: 'RETURN' },
  558: { words: 'Reversed ACH item, debit', meaning: 'RETURN' },
  561: { words: 'Rejected item, debit', meaning: 'RETURN' },
  564: { words: 'Overdraft fee', meaning: 'FEE' },
  566: { words: 'Returned item, debit', meaning: 'RETURN' },
  567: { words: 'Fee for a returned item', meaning: 'FEE' },
  654: { words: 'Interest charged', meaning: 'INTEREST' },
  659: { words: 'Correction of interest, debit', meaning: 'INTEREST' },
  661: { words: 'Account analysis fee', meaning: 'FEE' },
  698: { words: 'Miscellaneous fees', meaning: 'FEE' },
}

/** Codes of totals over other records. Counting them as transactions would count the same money twice. */
const TOTALS: ReadonlySet<string> = new Set(
  `
  100 110 130 140 150 160 170 180 190 200 205 207 210 230 231 250 251 256 260 270 280 356 360 361 385 389 390
  400 401 403 405 410 412 416 430 446 450 467 470 471 480 482 486 490 500 505 507 510 530 537 550 551 556 560 570 580 590
  594 630 685 690
  `
    .trim()
    .split(/\s+/),
)

export function classifyTypeCode(code: string): TypeCodeKind {
  const number = /^\d{3}$/.test(code) ? Number(code) : 0
  return RANGES.find(([from, to]) => number >= from && number <= to)?.[2] ?? 'UNKNOWN'
}

/** Finds the meaning of a code beyond credit or debit. */
export function findTypeCodeMeaning(code: string): TypeCodeMeaning | undefined {
  return Object.hasOwn(TYPE_CODES, code) ? TYPE_CODES[code]?.meaning : undefined
}

export function isTotal(code: string): boolean {
  return TOTALS.has(code)
}
