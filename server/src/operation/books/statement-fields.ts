import { CURRENCIES } from '@countersign/contract/core/currencies'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { shiftTime } from './shift-time.ts'
import type { Line, Statement } from './statements.ts'

/** Helpers shared by several bank statement formats. */

/** The 32 hex digits of an id, because bank formats have no room for a whole id. */
export function toIdDigits(id: string): string {
  return id.slice(-36).replaceAll('-', '')
}

/**
 * The last moment of a statement, which determines the day of its closing balance. The end of a statement is
 * exclusive.
 */
export function getLastMoment({ from, to }: Statement): Date {
  return to > from ? shiftTime(to, -1) : to
}

/** An amount as a decimal number without a sign. */
export function formatAbsoluteAmount({ account: { currency } }: Statement, amount: bigint): string {
  return formatDecimal(amount < 0n ? -amount : amount, CURRENCIES[currency].decimals)
}

/** The name of the other party of a line, or else any other detail known about it. */
export function otherSide({ origin: { counterparty = {} } }: Line): string | undefined {
  return counterparty.name ?? counterparty.umaAddress ?? counterparty.description ?? counterparty.accountId
}

/** Characters that XML does not allow: control characters and lone surrogates. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Text that XML allows, truncated to `charactersMax` characters; undefined if nothing remains. */
export function toXmlText(text: string | null | undefined, charactersMax: number): string | undefined {
  if (text === null || text === undefined) return undefined
  const characters = [...text.toWellFormed().replaceAll(UNWRITABLE, ' ').replaceAll(/\s+/g, ' ').trim()]
  return characters.length === 0 ? undefined : characters.slice(0, charactersMax).join('').trim()
}
