import { toJson } from '../../base/json/json.ts'
import { toOwnUuid } from '../engine/ids.ts'
import { type BinaryType, OIDS } from '../rows/row-columns.ts'

/**
 * Arrays in PostgreSQL's binary format, which the server need not parse. An element is its length followed by
 * its bytes; null has the length -1. A row is its number of columns, followed by the type and value of each.
 */

/** A row type of the database: its oid in pg_type, and its columns in order. */
export interface RowType {
  readonly oid: number
  readonly columns: readonly {
    readonly name: string
    readonly oid: number
    /** Undefined if this build does not know the column, which is then null. */
    readonly type: BinaryType | undefined
  }[]
}

const HEADER_BYTES = 20
const BYTES_AT_FIRST = 1 << 18
const NULL_LENGTH = -1
const NUMERIC_VALUE_OUT_OF_RANGE = '22003'
const UUID_BYTES = 16
const JSONB_VERSION = 1
/** PostgreSQL counts time in microseconds since 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const US_PER_MS = 1000
const HIGH = 2 ** 32
const DASH = 45
/** Marks a character that is not a hexadecimal digit. */
const NO_DIGIT = 16
const DIGITS = buildDigitValues()
/** Up to this length, writing a string character by character is faster than calling `write`. */
const SHORT_MAX = 48
const ASCII_MAX = 0x7f

/** The buffer in which each array is built before it is copied out. Only one array is built at a time. */
let scratch = Buffer.allocUnsafeSlow(BYTES_AT_FIRST)
let view = createView(scratch)
let end = 0

/** Encodes an array whose elements have one type. */
export function encodeBinaryArray(type: BinaryType, values: readonly unknown[]): Buffer {
  startArray(values.length)
  for (const value of values) writeValue(type, value)
  return finishArray(OIDS[type], values.length)
}

/** Encodes an array of rows of a table. Absent fields become null. */
export function encodeBinaryRows(
  { oid: rowOid, columns }: RowType,
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer {
  startArray(rows.length)
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
  return finishArray(rowOid, rows.length)
}

function startArray(length: number): void {
  end = length === 0 ? 12 : HEADER_BYTES
}

function finishArray(elementOid: number, length: number): Buffer {
  view.setInt32(0, length === 0 ? 0 : 1)
  // 1: the array may contain nulls.
  view.setInt32(4, 1)
  view.setInt32(8, elementOid)
  if (length > 0) {
    view.setInt32(12, length)
    // Arrays start at index 1.
    view.setInt32(16, 1)
  }
  return Buffer.from(scratch.subarray(0, end))
}

function toBigint(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  return BigInt(typeof value === 'number' ? value : requireString(value))
}

function toTimeMs(value: unknown): number {
  return value instanceof Date ? value.getTime() : parseTimeMs(requireString(value))
}

function requireString(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string, not a ${typeof value}`)
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
      writeBigint(toBigint(value))
      break
    case 'boolean':
      view.setInt32(end, 1)
      scratch[end + 4] = value === true ? 1 : 0
      end += 5
      break
    case 'uuid':
      writeUuid(toOwnUuid(requireString(value)))
      break
    case 'timestamptz':
      writeMicroseconds((toTimeMs(value) - EPOCH_MS) * US_PER_MS)
      break
    case 'bytea':
      writeHex(requireString(value))
      break
    case 'jsonb':
      writeText(toJson(value), JSONB_VERSION)
      break
    case 'text':
      writeText(requireString(value))
      break
    case 'xid8':
      throw new Error('only the database assigns transaction numbers')
  }
}

/** Throws the database's own error for a number that exceeds 64 bits. */
function writeBigint(value: bigint): void {
  if (BigInt.asIntN(64, value) !== value)
    throw Object.assign(new RangeError(`${value} exceeds int64`), { code: NUMERIC_VALUE_OUT_OF_RANGE })
  view.setInt32(end, 8)
  view.setBigInt64(end + 4, value)
  end += 12
}

/** Writes a whole number below 2^53 as 64 bits. */
function writeMicroseconds(count: number): void {
  const high = Math.floor(count / HIGH)
  view.setInt32(end, 8)
  view.setInt32(end + 4, high)
  view.setUint32(end + 8, count - high * HIGH)
  end += 12
}

/** Throws if the string is not a UUID: other characters could become the bytes of another record's id. */
function writeUuid(uuid: string): void {
  view.setInt32(end, UUID_BYTES)
  let at = end + 4
  let allDigits = 0
  for (let n = 0; n < uuid.length; n += 2) {
    if (n === 8 || n === 13 || n === 18 || n === 23) {
      if (uuid.charCodeAt(n) !== DASH) allDigits = NO_DIGIT
      n += 1
    }
    const high = DIGITS[uuid.charCodeAt(n)] ?? NO_DIGIT
    const low = DIGITS[uuid.charCodeAt(n + 1)] ?? NO_DIGIT
    allDigits |= high | low
    scratch[at++] = (high << 4) | low
  }
  if (allDigits >= NO_DIGIT) throw new Error(`${uuid} is not a uuid`)
  end = at
}

/** Writes bytes given in PostgreSQL's hex format, after `\x`. */
function writeHex(text: string): void {
  const bytes = text.length / 2 - 1
  reserve(4 + bytes)
  view.setInt32(end, bytes)
  end += 4
  end += scratch.write(text.slice(2), end, 'hex')
}

/** Writes the bytes of a string, preceded by a version byte if the format has one. */
function writeText(text: string, version?: number): void {
  const start = end
  // One UTF-16 code unit takes at most three bytes in UTF-8.
  reserve(5 + 3 * text.length)
  end += 4
  if (version !== undefined) scratch[end++] = version
  if (!writeShort(text)) end += scratch.write(text, end, 'utf8')
  view.setInt32(start, end - start - 4)
}

/** Writes a short ASCII string. Returns false if the string is longer or has other characters. */
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
  const size = end + bytes
  if (size <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * scratch.length, size))
  scratch.copy(larger, 0, 0, end)
  scratch = larger
  view = createView(scratch)
}

function createView({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

let lastTime = ''
let lastMs = 0

/** Parses an ISO 8601 time. Caches the last one, because nearly all times in a batch are the same. */
function parseTimeMs(time: string): number {
  if (time !== lastTime) {
    lastMs = Date.parse(time)
    lastTime = time
  }
  return lastMs
}

/** The value of each lower-case hexadecimal digit, by character code. */
function buildDigitValues(): Uint8Array {
  const values = new Uint8Array(128).fill(NO_DIGIT)
  for (const [value, digit] of [...'0123456789abcdef'].entries()) values[digit.charCodeAt(0)] = value
  return values
}
