import { toJson } from '../../json/json.ts'
import { ownUuidOf } from '../engine/ids.ts'

/**
 * Arrays in PostgreSQL's binary form: it takes them as they are, where texts have to be read. An element is its length and
 * its bytes; null has the length -1. A row is the number of its columns, and each with its type.
 */

/** The types of elements and of columns, with their numbers in pg_type. */
export const OIDS = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  integer: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
  xid8: 5069,
} as const

export type BinaryType = keyof typeof OIDS

/** The columns of a table, in its order, with their types. */
export type Columns = readonly (readonly [name: string, type: BinaryType])[]

const HEADER_BYTES = 20
const BYTES_AT_FIRST = 1024
const NULL_LENGTH = -1
const UUID_BYTES = 16
const JSONB_VERSION = 1
/** PostgreSQL counts time from 2000 on. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const DIGITS = digitValues()

/** An array that grows by its elements. */
export class BinaryArray {
  #bytes = Buffer.allocUnsafe(BYTES_AT_FIRST)
  #end = HEADER_BYTES
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds an element. Returns its place, from 1. */
  add(type: BinaryType, value: unknown): number {
    this.#value(type, value)
    this.#length += 1
    return this.#length
  }

  /** Adds a row. An absent member is null. */
  addRow(columns: Columns, row: Readonly<Record<string, unknown>>): number {
    const start = this.#end
    this.#int32(0)
    this.#int32(columns.length)
    for (const [name, type] of columns) {
      this.#int32(OIDS[type])
      this.#value(type, row[name])
    }
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
    this.#length += 1
    return this.#length
  }

  /** The whole array, of elements of this type. */
  toBuffer(elementOid: number): Buffer {
    const bytes = this.#bytes
    const isEmpty = this.#length === 0
    bytes.writeInt32BE(isEmpty ? 0 : 1, 0)
    // Whether there may be nulls.
    bytes.writeInt32BE(1, 4)
    bytes.writeInt32BE(elementOid, 8)
    if (isEmpty) return bytes.subarray(0, 12)
    bytes.writeInt32BE(this.#length, 12)
    // The first element has the place 1.
    bytes.writeInt32BE(1, 16)
    return bytes.subarray(0, this.#end)
  }

  #value(type: BinaryType, value: unknown): void {
    if (value === null || value === undefined) {
      this.#int32(NULL_LENGTH)
      return
    }
    switch (type) {
      case 'integer':
        this.#int32(4)
        this.#int32(value as number)
        break
      case 'bigint':
        this.#int64(BigInt(value as bigint | number))
        break
      case 'boolean':
        this.#int32(1)
        this.#room(1)
        this.#bytes[this.#end] = value === true ? 1 : 0
        this.#end += 1
        break
      case 'uuid':
        this.#uuid(ownUuidOf(value as string))
        break
      case 'timestamptz':
        this.#int64(BigInt(msOf(value as string) - EPOCH_MS) * 1000n)
        break
      case 'bytea':
        this.#hex((value as string).slice(2))
        break
      case 'jsonb':
        this.#text(toJson(value), JSONB_VERSION)
        break
      case 'text':
        this.#text(value as string)
        break
      case 'xid8':
        throw new Error('only the database gives numbers of transactions')
    }
  }

  #int32(value: number): void {
    this.#room(4)
    this.#end = this.#bytes.writeInt32BE(value, this.#end)
  }

  #int64(value: bigint): void {
    this.#int32(8)
    this.#room(8)
    this.#end = this.#bytes.writeBigInt64BE(value, this.#end)
  }

  #uuid(uuid: string): void {
    this.#int32(UUID_BYTES)
    this.#room(UUID_BYTES)
    const bytes = this.#bytes
    let at = this.#end
    for (let n = 0; n < uuid.length; n += 2) {
      if (uuid[n] === '-') n += 1
      bytes[at++] = (DIGITS[uuid.charCodeAt(n)]! << 4) | DIGITS[uuid.charCodeAt(n + 1)]!
    }
    this.#end = at
  }

  #hex(hex: string): void {
    const { length } = hex
    this.#int32(length / 2)
    this.#room(length / 2)
    this.#end += this.#bytes.write(hex, this.#end, 'hex')
  }

  /** The bytes of a text, after that of a version where there is one. */
  #text(text: string, version?: number): void {
    const start = this.#end
    // A character has at most three bytes of UTF-8 for each unit of UTF-16.
    this.#room(5 + 3 * text.length)
    this.#end += 4
    if (version !== undefined) {
      this.#bytes[this.#end] = version
      this.#end += 1
    }
    this.#end += this.#bytes.write(text, this.#end, 'utf8')
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
  }

  #room(bytes: number): void {
    const wanted = this.#end + bytes
    if (wanted <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, wanted))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

let lastTime = ''
let lastMs = 0

/** The milliseconds of a time in ISO 8601. Nearly all times of a batch are one. */
function msOf(time: string): number {
  if (time !== lastTime) {
    lastMs = Date.parse(time)
    lastTime = time
  }
  return lastMs
}

/** The value of each hexadecimal digit, by its code. */
function digitValues(): Uint8Array {
  const values = new Uint8Array(128)
  for (const [value, digit] of [...'0123456789abcdef'].entries()) values[digit.charCodeAt(0)] = value
  return values
}
