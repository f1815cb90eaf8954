import { CURRENCIES } from '@countersign/contract/core/currencies'
import { decimalText } from '../../base/formats/decimal.ts'
import { shiftTime } from './shift-time.ts'
import type { Line, Statement } from './statements.ts'

/** Parts shared by bank statement formats. */

/** An id in 32 hex digits: bank formats have no space for the id itself. */
export function hexOf(id: string): string {
  return id.slice(-36).replaceAll('-', '')
}

/** The day of a statement's closing balance. The statement's end is exclusive. */
export function lastMoment({ from, to }: Statement): Date {
  return to > from ? shiftTime(to, -1) : to
}

/** An amount without its sign as decimal text. */
export function absoluteText({ account: { currency } }: Statement, amount: bigint): string {
  return decimalText(amount < 0n ? -amount : amount, CURRENCIES[currency].decimals)
}

/** The name of a line's other side, or another known detail. */
export function otherSide({ origin: { counterparty = {} } }: Line): string | undefined {
  return counterparty.name ?? counterparty.umaAddress ?? counterparty.description ?? counterparty.accountId
}

/** Control characters and half characters, which XML cannot have. */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Text for XML, truncated to `charactersMax`; undefined if nothing is left. */
export function xmlText(text: string | null | undefined, charactersMax: number): string | undefined {
  if (text === null || text === undefined) return undefined
  const characters = [...text.toWellFormed().replaceAll(UNWRITABLE, ' ').replaceAll(/\s+/g, ' ').trim()]
  return characters.length === 0 ? undefined : characters.slice(0, charactersMax).join('').trim()
}
