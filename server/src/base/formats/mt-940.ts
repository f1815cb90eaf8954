/** Fields of SWIFT statements (MT940 and MT942), for both writing and reading. */

/** Credit, debit, reversed credit, reversed debit, expected credit, expected debit. */
export type MtMark = 'C' | 'D' | 'RC' | 'RD' | 'EC' | 'ED'

/** A balance in one of the fields 60 to 65. */
export interface MtBalance {
  readonly isDebit: boolean
  /** `YYYY-MM-DD`. Undefined if the day does not exist. */
  readonly date: string | undefined
  readonly currency: string
  /** An unsigned decimal such as `12.50`. */
  readonly figure: string
}

/** A statement line in field 61. */
export interface MtLine {
  /** `YYYY-MM-DD`. Undefined if the day does not exist. */
  readonly valueOn: string | undefined
  /** `YYYY-MM-DD`. Null if omitted, which means the value date. Undefined if the day does not exist. */
  readonly bookedOn: string | null | undefined
  readonly mark: MtMark
  /** An unsigned decimal such as `12.50`. */
  readonly figure: string
  /** A letter (`N`, `F` or `S`, or others at some banks) followed by three characters, such as `NTRF`. */
  readonly type: string
  /** The reference of the account's owner, or `NONREF` for none. */
  readonly owner: string
  readonly bank: string | null
  /** The lines after the first. */
  readonly details: readonly string[]
}

const LINE_END = '\r\n'
const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d{1,18}(?:,\d{0,9})?)$/
/**
 * Some banks write blanks for an omitted entry date. The letter after the mark is the third letter of the
 * currency.
 */
const LINE =
  /^(\d{6})(\d{4})?\s*(R?[CD]|E[CD])([A-Z])?(\d{1,18}(?:,\d{0,9})?)([A-Z][A-Z0-9 ]{3})(.*?)(?:\/\/(.*))?$/
const FEBRUARY_DAYS_MAX = 30

export function formatMtField(tag: string, content: string): string {
  return `:${tag}:${content}${LINE_END}`
}

export function formatMtBalance({ isDebit, date = '', currency, figure }: MtBalance): string {
  return `${isDebit ? 'D' : 'C'}${formatShortDate(date)}${currency}${formatFigure(figure)}`
}

export function formatMtLine({
  valueOn = '',
  bookedOn,
  mark,
  figure,
  type,
  owner,
  bank,
  details,
}: MtLine): string {
  const entryDate = formatShortDate(bookedOn ?? '').slice(2)
  const first = `${formatShortDate(valueOn)}${entryDate}${mark}${formatFigure(figure)}${type}${owner}`
  return [`${first}${bank === null ? '' : `//${bank}`}`, ...details].join(LINE_END)
}

/** Undefined if the text is malformed. */
export function readMtBalance(text: string): MtBalance | undefined {
  const [, mark, date = '', currency = '', figure = ''] = BALANCE.exec(text.trim()) ?? []
  if (mark === undefined) return undefined
  return { isDebit: mark === 'D', date: parseDate(date), currency, figure: parseFigure(figure) }
}

/** Undefined if the first line is malformed. */
export function readMtLine([first = '', ...others]: readonly string[]): MtLine | undefined {
  const [, value = '', entry, mark, , figure = '', type = '', owner = '', bank] =
    LINE.exec(first.trimEnd()) ?? []
  if (!isMark(mark)) return undefined
  const valueOn = parseDate(value)
  return {
    valueOn,
    bookedOn: entry === undefined ? null : findNearestDate(entry, `20${value.slice(0, 2)}`, valueOn),
    mark,
    figure: parseFigure(figure),
    type,
    owner: owner.trim(),
    bank: bank?.trim() || null,
    details: others.map((line) => line.trim()).filter(Boolean),
  }
}

function isMark(text: string | undefined): text is MtMark {
  return text !== undefined && /^(?:R?[CD]|E[CD])$/.test(text)
}

/** Formats `YYYY-MM-DD` as `YYMMDD`. */
function formatShortDate(date: string): string {
  return date.slice(2).replaceAll('-', '')
}

/** The comma is required even without decimals. */
function formatFigure(figure: string): string {
  return figure.includes('.') ? figure.replace('.', ',') : `${figure},`
}

function parseFigure(figure: string): string {
  return figure.replace(',', '.').replace(/\.$/, '')
}

/**
 * Converts `YYMMDD` to `YYYY-MM-DD`. Undefined if the day does not exist. Banks that count every month as 30
 * days value bookings on 30 February, which means the end of that month.
 */
function parseDate(text: string): string | undefined {
  const [year, month, day] = [text.slice(0, 2), text.slice(2, 4), text.slice(4)]
  const exact = toCalendarDay(`20${year}`, month, day)
  if (exact !== undefined || month !== '02' || Number(day) > FEBRUARY_DAYS_MAX) return exact
  return toCalendarDay(`20${year}`, month, '29') ?? toCalendarDay(`20${year}`, month, '28')
}

/** The day `MMDD` nearest to another date, possibly in the year before or after. */
function findNearestDate(monthDay: string, year: string, near: string | undefined): string | undefined {
  const years = [0, -1, 1].map((shift) => String(Number(year) + shift))
  const days = years.flatMap(
    (candidateYear) => toCalendarDay(candidateYear, monthDay.slice(0, 2), monthDay.slice(2)) ?? [],
  )
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(near ?? day))
  return days.sort((left, right) => distance(left) - distance(right))[0]
}

function toCalendarDay(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month}-${day}`
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : undefined
}
