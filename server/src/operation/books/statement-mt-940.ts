import type { StatementLineKind } from '@countersign/contract/books/statements'
import { formatMtBalance, formatMtField, formatMtLine } from '../../base/formats/mt-940.ts'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import { formatAbsoluteAmount, getLastMoment, otherSide, toIdDigits } from './statement-fields.ts'
import { KIND_WORDS } from './statement-words.ts'
import type { Line, Statement } from './statements.ts'

/** SWIFT transaction types for field 61. All other kinds are TRF, a transfer. */
const TYPES: Readonly<Partial<Record<StatementLineKind, string>>> = {
  FEE: 'CHG',
  FEE_REFUND: 'CHG',
  CARD_PURCHASE: 'MSC',
  CARD_REFUND: 'MSC',
  OTHER: 'MSC',
}

const INFORMATION_LINE_CHARACTERS = 65
const INFORMATION_LINES_MAX = 6
const REFERENCE_CHARACTERS = 16
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Writes a statement as MT940 (SWIFT), without the network's envelope. The account is identified by the 32
 * hex digits of its id.
 */
export function* writeStatementMt940(statement: Statement): Generator<string> {
  const { account, from, opening, closing, held, lines } = statement
  const end = getLastMoment(statement)
  const id = toIdDigits(account.id)
  yield formatMtField('20', `CS${id.slice(-14)}`) +
    formatMtField('25', id) +
    formatMtField('28C', `${formatMt940Number(end)}/1`)
  yield formatMtField('60F', writeBalance(statement, from, opening))
  for (const line of lines) yield writeMovement(statement, line)
  yield formatMtField('62F', writeBalance(statement, end, closing))
  yield `${formatMtField('64', writeBalance(statement, end, closing - held))}-\r\n`
}

function writeBalance(statement: Statement, at: Date, amount: bigint): string {
  const { currency } = statement.account
  return formatMtBalance({
    isDebit: amount < 0n,
    date: toUtcDay(at),
    currency,
    figure: formatAbsoluteAmount(statement, amount),
  })
}

function writeMovement(statement: Statement, line: Line): string {
  const { kind, amount, at, transferId, origin } = line
  const date = toUtcDay(at)
  const head = formatMtLine({
    ...{ valueOn: date, bookedOn: date, mark: amount < 0n ? 'D' : 'C' },
    ...{ figure: formatAbsoluteAmount(statement, amount), type: `N${TYPES[kind] ?? 'TRF'}` },
    owner: formatReference(origin.reference),
    bank: toIdDigits(transferId).slice(-REFERENCE_CHARACTERS),
    details: [],
  })
  const text = [KIND_WORDS[kind], otherSide(line), origin.reference, origin.description]
    .filter((part) => part !== undefined && part !== null)
    .join(' ')
  return formatMtField('61', head) + formatMtField('86', formatInformation(text))
}

/**
 * The payment's reference, or NONREF if it has more than 16 characters or a slash, which would end the field.
 */
function formatReference(reference: string | undefined): string {
  const fits = reference !== undefined && /^[A-Za-z0-9?:().,'+ -]{1,16}$/.test(reference)
  return fits ? reference : 'NONREF'
}

/**
 * Splits text into lines of 65 characters of the SWIFT character set. No line may begin like a field tag or
 * the end of the message.
 */
function formatInformation(text: string): string {
  const lines: string[] = []
  let left = toSwiftText(text)
  while (left !== '' && lines.length < INFORMATION_LINES_MAX) {
    lines.push(left.slice(0, INFORMATION_LINE_CHARACTERS).trimEnd())
    left = left.slice(INFORMATION_LINE_CHARACTERS).replace(/^[ :-]+/, '')
  }
  return lines.join('\r\n')
}

/**
 * Converts text to the SWIFT character set: removes diacritics, and replaces all other characters with a
 * period.
 */
function toSwiftText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/gu, '.')
    .trim()
}

/** The five-digit number of a statement: the year's last two digits and the day of the year. */
function formatMt940Number(time: Date): string {
  const day = Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / DAY_MS) + 1
  return `${time.toISOString().slice(2, 4)}${String(day).padStart(3, '0')}`
}
