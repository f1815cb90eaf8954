import type { Bai2Line } from './bai2-lines.ts'
import { quoteForMessage } from './decimal-amounts.ts'

/** A logical record: a physical record and its continuations (88). */
export interface Bai2Record {
  readonly code: string
  /** The line of its first physical record. */
  readonly line: number
  readonly lines: readonly Bai2Line[]
}

const TOTAL_DIGITS_MAX = 30
const PARTS_MAX = 100

/**
 * Reads the fields of a record in order, across continuations. A slash at the end of a physical record is
 * removed.
 */
export class Bai2Fields {
  readonly #pieces: readonly string[]
  #piece = 0
  #at = 0

  constructor({ lines }: Bai2Record) {
    this.#pieces = lines.map(({ text }) => text.replace(/\/$/, '').trimEnd()).filter((text) => text !== '')
  }

  /** The next field without surrounding blanks. Undefined after the last one. */
  nextField(): string | undefined {
    const piece = this.#pieces[this.#piece]
    if (piece === undefined) return undefined
    const comma = piece.indexOf(',', this.#at)
    const field = piece.slice(this.#at, comma < 0 ? undefined : comma).trim()
    this.#at = comma + 1
    if (comma < 0) this.#piece += 1
    return field
  }

  /** The next field. An omitted field is an empty string. */
  optional(): string {
    return this.nextField() ?? ''
  }

  /** The free text at the end of a record, as lines. It may contain commas and slashes. */
  remainingLines(): string[] {
    const [first, ...others] = this.#pieces.slice(this.#piece)
    return first === undefined
      ? []
      : [first.slice(this.#at), ...others].map((text) => text.trim()).filter(Boolean)
  }
}

const AMOUNT_MAX = 2n ** 63n - 1n

/**
 * Parses an amount in smallest units without a decimal point. Undefined if the field is invalid or does not
 * fit into 64 bits.
 */
export function parseAmount(field: string): bigint | undefined {
  const total = parseTotal(field)
  return total === undefined || total > AMOUNT_MAX || total < -AMOUNT_MAX ? undefined : total
}

/** Parses a sum of amounts. */
export function parseTotal(field: string): bigint | undefined {
  const [, sign, digits = ''] = /^([+-]?)0*(\d+)$/.exec(field) ?? []
  if (digits === '' || digits.length > TOTAL_DIGITS_MAX) return undefined
  return sign === '-' ? -BigInt(digits) : BigInt(digits)
}

/** Parses a count without a sign. */
export function parseCount(field: string): number | undefined {
  return /^\d{1,9}$/.test(field) ? Number(field) : undefined
}

/** Converts `YYMMDD` to `YYYY-MM-DD`. Undefined if the date does not exist. */
export function parseDate(field: string): string | undefined {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(field) ?? []
  const date = `20${year}-${month}-${day}`
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : undefined
}

/** True for a time of day. 2400 and 9999 stand for the end of the day. */
export function isTime(field: string): boolean {
  return /^(?:(?:[01]\d|2[0-3])[0-5]\d|2400|9999)$/.test(field)
}

export interface Availability {
  /** `YYYY-MM-DD`; null if the bank states none. */
  readonly valueOn: string | null
  /** The reason why the funds type or the fields after it cannot be read. */
  readonly fault?: string
}

/**
 * Parses the funds type and its fields, which state when money becomes available. They do not change the
 * amount.
 */
export function parseAvailability(fields: Bai2Fields): Availability {
  const type = fields.optional().toUpperCase()
  if (['', '0', '1', '2', 'Z'].includes(type)) return { valueOn: null }
  if (type === 'V') return parseValueDate(fields)
  if (type === 'S') return parseParts([fields.optional(), fields.optional(), fields.optional()])
  if (type === 'D') return parseDistribution(fields)
  return { valueOn: null, fault: `has the funds type ${quoteForMessage(type)}` }
}

function parseValueDate(fields: Bai2Fields): Availability {
  const [date, time] = [fields.optional(), fields.optional()]
  const valueOn = date === '' ? null : parseDate(date)
  if (valueOn === undefined) return { valueOn: null, fault: `has the value date ${quoteForMessage(date)}` }
  if (time !== '' && !isTime(time))
    return { valueOn: null, fault: `has the value time ${quoteForMessage(time)}` }
  return { valueOn }
}

function parseDistribution(fields: Bai2Fields): Availability {
  const written = fields.optional()
  const count = parseCount(written)
  if (count === undefined || count > PARTS_MAX)
    return {
      valueOn: null,
      fault: `has ${quoteForMessage(written)} as the number of parts of its availability`,
    }
  return parseParts(Array.from({ length: count * 2 }, () => fields.optional()))
}

function parseParts(fields: readonly string[]): Availability {
  const malformed = fields.find((field) => field !== '' && parseAmount(field) === undefined)
  return malformed === undefined
    ? { valueOn: null }
    : { valueOn: null, fault: `has ${quoteForMessage(malformed)} as a part of its availability` }
}
