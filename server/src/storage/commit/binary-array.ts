import { toJson } from '../../base/json/json.ts'
import { ownUuidOf } from '../engine/ids.ts'
import { type BinaryType, OIDS } from '../rows/row-columns.ts'

/**
 * Arrays in PostgreSQL's binary form, which needs no parsing. An element is its length and its bytes; null
 * has the length -1. A row is the number of its columns, then the type and value of each.
 */

/** A row type of the database: its number in pg_type, and its columns in order. */
export interface RowType {
  readonly oid: number
  readonly columns: readonly {
    readonly name: string
    readonly oid: number
    /** Undefined for a column that this build does not know: it is null. */
    readonly type: BinaryType | undefined
  }[]
}

const HEADER_BYTES = 20
const BYTES_AT_FIRST = 1 << 18
const NULL_LENGTH = -1
const NUMERIC_VALUE_OUT_OF_RANGE = '22003'
const UUID_BYTES = 16
const JSONB_VERSION = 1
/** PostgreSQL counts time from 2000 on, in microseconds. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const US_PER_MS = 1000
const HIGH = 2 ** 32
const DASH = 45
/** Stands for a character that is not a hexadecimal digit. */
const NO_DIGIT = 16
const DIGITS = digitValues()
/** Strings up to this length are written character by character, which is faster than a call. */
const SHORT_MAX = 48
const ASCII_MAX = 0x7f

/**
 * Buffer in which an array is built before it is copied out. Each array is finished before the next begins.
 */
let scratch = Buffer.allocUnsafeSlow(BYTES_AT_FIRST)
let view = viewOf(scratch)
let end = 0

/** An array whose elements have one type. */
export function binaryArray(type: BinaryType, values: readonly unknown[]): Buffer {
  begin(values.length)
  for (const value of values) writeValue(type, value)
  return finish(OIDS[type], values.length)
}

/** An array of a table's rows. Absent fields are null. */
export function binaryRows(
  { oid: rowOid, columns }: RowType,
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer {
  begin(rows.length)
  for (const row of rows) {
    reserve(8)
    const start = end
    view.setInt32(start + 4, columns.length)
    end += 8
    for (const { name, type, oid } of columns) {
      reserve(4)
      view.setInt32(end, oid)
      end += 4
      writeValue(type, row[name])
    }
    view.setInt32(start, end - start - 4)
  }
  return finish(rowOid, rows.length)
}

function begin(length: number): void {
  end = length === 0 ? 12 : HEADER_BYTES
}

function finish(elementOid: number, length: number): Buffer {
  view.setInt32(0, length === 0 ? 0 : 1)
  // 1 means that there may be nulls.
  view.setInt32(4, 1)
  view.setInt32(8, elementOid)
  if (length > 0) {
    view.setInt32(12, length)
    // Arrays start at index 1.
    view.setInt32(16, 1)
  }
  return Buffer.from(scratch.subarray(0, end))
}

function bigintOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return BigInt(typeof value === 'number' ? value : textOf(value))
}

function timeMsOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : msOf(textOf(value))
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`a ${typeof value} was given instead of a string`)
  return value
}

function writeValue(type: BinaryType | undefined, value: unknown): void {
  reserve(13 + UUID_BYTES)
  if (value === null || value === undefined || type === undefined) {
    view.setInt32(end, NULL_LENGTH)
    end += 4
    return
  }
  switch (type) {
    case 'integer':
      view.setInt32(end, 4)
      view.setInt32(end + 4, Number(value))
      end += 8
      break
    case 'bigint':
      writeBigint(bigintOf(value))
      break
    case 'boolean':
      view.setInt32(end, 1)
      scratch[end + 4] = value === true ? 1 : 0
      end += 5
      break
    case 'uuid':
      writeUuid(ownUuidOf(textOf(value)))
      break
    case 'timestamptz':
      writeMicroseconds((timeMsOf(value) - EPOCH_MS) * US_PER_MS)
      break
    case 'bytea':
      writeHex(textOf(value))
      break
    case 'jsonb':
      writeText(toJson(value), JSONB_VERSION)
      break
    case 'text':
      writeText(textOf(value))
      break
    case 'xid8':
      throw new Error('only the database assigns transaction numbers')
  }
}

/** Throws the database's own error: the number exceeds 64 bits. */
function writeBigint(value: bigint): void {
  if (BigInt.asIntN(64, value) !== value)
    throw Object.assign(new RangeError(`${value} exceeds int64`), { code: NUMERIC_VALUE_OUT_OF_RANGE })
  view.setInt32(end, 8)
  view.setBigInt64(end + 4, value)
  end += 12
}

/** A whole number below 2^53 as 64 bits. */
function writeMicroseconds(count: number): void {
  const high = Math.floor(count / HIGH)
  view.setInt32(end, 8)
  view.setInt32(end + 4, high)
  view.setUint32(end + 8, count - high * HIGH)
  end += 12
}

/** Throws unless the string is a UUID: other characters would become bytes that name another record. */
function writeUuid(uuid: string): void {
  view.setInt32(end, UUID_BYTES)
  let at = end + 4
  let seen = 0
  for (let n = 0; n < uuid.length; n += 2) {
    if (n === 8 || n === 13 || n === 18 || n === 23) {
      if (uuid.charCodeAt(n) !== DASH) seen = NO_DIGIT
      n += 1
    }
    const high = DIGITS[uuid.charCodeAt(n)] ?? NO_DIGIT
    const low = DIGITS[uuid.charCodeAt(n + 1)] ?? NO_DIGIT
    seen |= high | low
    scratch[at++] = (high << 4) | low
  }
  if (seen >= NO_DIGIT) throw new Error(`${uuid} is not a uuid`)
  end = at
}

/** Bytes in PostgreSQL's hex form, after `\x`. */
function writeHex(text: string): void {
  const bytes = text.length / 2 - 1
  reserve(4 + bytes)
  view.setInt32(end, bytes)
  end += 4
  end += scratch.write(text.slice(2), end, 'hex')
}

/** The bytes of a string, preceded by the version byte if the format has one. */
function writeText(text: string, version?: number): void {
  const start = end
  // A character has at most three bytes of UTF-8 for each unit of UTF-16.
  reserve(5 + 3 * text.length)
  end += 4
  if (version !== undefined) scratch[end++] = version
  if (!writeShort(text)) end += scratch.write(text, end, 'utf8')
  view.setInt32(start, end - start - 4)
}

/** Writes a short ASCII string. Returns false if it has other characters. */
function writeShort(text: string): boolean {
  const { length } = text
  if (length > SHORT_MAX) return false
  for (let n = 0; n < length; n++) {
    const code = text.charCodeAt(n)
    if (code > ASCII_MAX) return false
    scratch[end + n] = code
  }
  end += length
  return true
}

function reserve(bytes: number): void {
  const wanted = end + bytes
  if (wanted <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratch.length, wanted))
  scratch.copy(larger, 0, 0, end)
  scratch = larger
  view = viewOf(scratch)
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

let lastTime = ''
let lastMs = 0

/** The milliseconds of an ISO 8601 time. Caches the last one, as nearly all times of a batch are the same. */
function msOf(time: string): number {
  if (time !== lastTime) {
    lastMs = Date.parse(time)
    lastTime = time
  }
  return lastMs
}

/** The value of each lower-case hexadecimal digit, by its code. */
function digitValues(): Uint8Array {
  const values = new Uint8Array(128).fill(NO_DIGIT)
  for (const [value, digit] of [...'0123456789abcdef'].entries()) values[digit.charCodeAt(0)] = value
  return values
}
