import type { Bai2Line } from './bai2-lines.ts'
import { quoteForMessage } from './decimal-amounts.ts'

/** A logical record: a physical record and the 88 records that continue it. */
export interface Bai2Record {
  readonly code: string
  /** The line of its first physical record. */
  readonly line: number
  readonly lines: readonly Bai2Line[]
}

const TOTAL_DIGITS_MAX = 30
const PARTS_MAX = 100

/**
 * Reads the fields of a record in order, across continuations. A slash ends a physical record if nothing
 * follows it.
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
  rest(): string[] {
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
export function amountOf(field: string): bigint | undefined {
  const total = totalOf(field)
  return total === undefined || total > AMOUNT_MAX || total < -AMOUNT_MAX ? undefined : total
}

/** Parses a sum of amounts. */
export function totalOf(field: string): bigint | undefined {
  const [, sign, digits = ''] = /^([+-]?)0*(\d+)$/.exec(field) ?? []
  if (digits === '' || digits.length > TOTAL_DIGITS_MAX) return undefined
  return sign === '-' ? -BigInt(digits) : BigInt(digits)
}

/** Parses a count without a sign. */
export function countOf(field: string): number | undefined {
  return /^\d{1,9}$/.test(field) ? Number(field) : undefined
}

/** Converts `YYMMDD` to `YYYY-MM-DD`. Undefined if the date does not exist. */
export function dateOf(field: string): string | undefined {
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
  /** Why the funds type and the fields after it cannot be read. */
  readonly fault?: string
}

/**
 * Parses the funds type and its fields. They state when money becomes available, and add nothing to the
 * amount.
 */
export function availabilityOf(fields: Bai2Fields): Availability {
  const type = fields.optional().toUpperCase()
  if (['', '0', '1', '2', 'Z'].includes(type)) return { valueOn: null }
  if (type === 'V') return valueDateOf(fields)
  if (type === 'S') return partsOf([fields.optional(), fields.optional(), fields.optional()])
  if (type === 'D') return distributionOf(fields)
  return { valueOn: null, fault: `has the funds type ${quoteForMessage(type)}` }
}

function valueDateOf(fields: Bai2Fields): Availability {
  const [date, time] = [fields.optional(), fields.optional()]
  const valueOn = date === '' ? null : dateOf(date)
  if (valueOn === undefined) return { valueOn: null, fault: `has the value date ${quoteForMessage(date)}` }
  if (time !== '' && !isTime(time))
    return { valueOn: null, fault: `has the value time ${quoteForMessage(time)}` }
  return { valueOn }
}

function distributionOf(fields: Bai2Fields): Availability {
  const written = fields.optional()
  const count = countOf(written)
  if (count === undefined || count > PARTS_MAX)
    return {
      valueOn: null,
      fault: `has ${quoteForMessage(written)} as the number of parts of its availability`,
    }
  return partsOf(Array.from({ length: count * 2 }, () => fields.optional()))
}

function partsOf(fields: readonly string[]): Availability {
  const wrong = fields.find((field) => field !== '' && amountOf(field) === undefined)
  return wrong === undefined
    ? { valueOn: null }
    : { valueOn: null, fault: `has ${quoteForMessage(wrong)} as a part of its availability` }
}
