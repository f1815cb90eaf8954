import type { Entry, Sheet } from './messages.ts'

/** Statements in MT940, which European banks write for older systems. An entry has at most one detail. */

/** The SWIFT type and the German transaction code (GVC) of an entry. */
const CODES: Readonly<Record<string, readonly [type: string, gvc: string]>> = {
  RRTN: ['NTRF', '159'],
  CHRG: ['NCHG', '808'],
  IN: ['NTRF', '166'],
  OUT: ['NTRF', '116'],
}
/** A date that does not exist in any calendar. */
const NO_DAY = '269931'
const LINE_CHARACTERS = 65
const PIECE_CHARACTERS = 27
const REFERENCE_CHARACTERS = 16
/** Field codes of the purpose: 20 to 29, then 60 to 63. */
const PURPOSES = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63]

/**
 * Formats a file of statements, each with both balances. `name` distinguishes files with the same content.
 */
export function formatMt940File(sheets: readonly Sheet[], name: string): string {
  return sheets.map((sheet) => formatMessage(sheet, name)).join('')
}

function formatMessage(sheet: Sheet, name: string): string {
  const { iban, page, entries } = sheet
  const { opening = 0n, closing = 0n } = sheet
  const isFirst = page === undefined || page.number === 1
  const isLast = page === undefined || page.isLast
  return [
    `:20:${name}`,
    `:25:${iban}`,
    `:28C:${formatStatementNumber(sheet.id)}/${page?.number ?? 1}`,
    `:60${isFirst ? 'F' : 'M'}:${formatBalance(sheet, opening)}`,
    ...entries.flatMap((entry) => formatEntryLines(entry, sheet)),
    `:62${isLast ? 'F' : 'M'}:${formatBalance(sheet, closing)}`,
    '-\r\n',
  ].join('\r\n')
}

/** Five digits taken from the statement's id. */
function formatStatementNumber(id: string): string {
  return id.replaceAll(/\D/g, '').slice(-5) || '1'
}

function formatBalance({ date, currency }: Sheet, amount: bigint): string {
  return `${amount < 0n ? 'D' : 'C'}${toShortDate(date)}${currency}${formatAmount(amount)}`
}

function toShortDate(date: string): string {
  return date.slice(2).replaceAll('-', '')
}

function formatAmount(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  return `${size / 100n},${String(size % 100n).padStart(2, '0')}`
}

function formatEntryLines(entry: Entry, { date }: Sheet): string[] {
  const { cents, code, servicerReference, isUnreadable, details, batch, reference, text } = entry
  const [, , kind] = code
  const [type, gvc] = CODES[kind] ?? CODES[cents < 0n ? 'OUT' : 'IN'] ?? ['NMSC', '999']
  const valueOn = isUnreadable ? NO_DAY : toShortDate(date)
  const bank = servicerReference === undefined ? '' : `//${servicerReference.slice(0, REFERENCE_CHARACTERS)}`
  const head = `:61:${valueOn}${toShortDate(date).slice(2)}${cents < 0n ? 'D' : 'C'}R${formatAmount(cents)}${type}NONREF${bank}`
  const [detail = {}] = details
  const purpose = [detail.text, detail.structured, detail.additional, text].filter(Boolean).join(' ')
  const file = batch ?? reference
  const parts = [
    detail.endToEndId && `EREF+${detail.endToEndId}`,
    file && `KREF+${file}`,
    purpose && `SVWZ+${purpose}`,
  ]
  const pieces = parts.flatMap((part) => splitText(part || '', PIECE_CHARACTERS))
  const purposes = pieces.map((piece, index) => `?${PURPOSES[index]}${piece}`)
  const { debtor } = detail
  const payer = debtor ? `?31${debtor.iban}?32${debtor.name}` : ''
  return [
    head,
    ...splitText(`:86:${gvc}?00BUCHUNG?109310${purposes.join('')}${payer}?34000`, LINE_CHARACTERS),
  ]
}

function splitText(text: string, charactersMax: number): string[] {
  return text.match(new RegExp(`.{1,${charactersMax}}`, 'g')) ?? []
}
