import pg from 'pg'
import { parseJson, toJson } from '../../base/json/json.ts'
import { idOf } from './ids.ts'

type Parse = (text: string) => unknown

/**
 * Parsers by the oid of the type in pg_type. All other types remain strings: numeric has no exact counterpart
 * in JavaScript, and pg's own parsers would read date and timestamp in the time zone of the machine. A uuid
 * becomes the id of a record (`ids.ts`).
 */
const SCALARS: ReadonlyMap<number, { array: number; parse: Parse }> = new Map([
  [16, { array: 1000, parse: (text) => text === 't' }], // bool
  [17, { array: 1001, parse: parseBytea }], // bytea
  [20, { array: 1016, parse: BigInt }], // int8
  [21, { array: 1005, parse: Number }], // int2
  [23, { array: 1007, parse: Number }], // int4
  [25, { array: 1009, parse: toText }], // text
  [26, { array: 1028, parse: Number }], // oid
  [114, { array: 199, parse: parseJson }], // json
  [700, { array: 1021, parse: Number }], // float4
  [701, { array: 1022, parse: Number }], // float8
  [1042, { array: 1014, parse: toText }], // char(n)
  [1043, { array: 1015, parse: toText }], // varchar
  [1082, { array: 1182, parse: toText }], // date
  [1184, { array: 1185, parse: pg.types.getTypeParser(1184) as Parse }], // timestamptz
  [1700, { array: 1231, parse: toText }], // numeric
  [2950, { array: 2951, parse: idOf }], // uuid
  [3802, { array: 3807, parse: parseJson }], // jsonb
])

/** The elements of an array, which may contain arrays. */
type Elements = (string | null | Elements)[]

const TEXT_ARRAY = 1009
// pg declares only the scalar types.
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as 25) as (text: string) => Elements

const PARSERS: ReadonlyMap<number, Parse> = new Map(
  [...SCALARS].flatMap(([oid, { array, parse }]): [number, Parse][] => [
    [oid, parse],
    [array, (text) => mapElements(parseTextArray(text), parse)],
  ]),
)

function mapElements(elements: Elements, parse: Parse): unknown[] {
  return elements.map((element) => {
    if (Array.isArray(element)) return mapElements(element, parse)
    return element === null ? null : parse(element)
  })
}

function parseBytea(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

function toText(text: string): string {
  return text
}

/** The value types of the database port, in the form that pg expects. Both databases use this table. */
export const portTypes = {
  // pg declares a separate parser type for each oid, while the port returns `unknown` values.
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? toText,
}

/**
 * Converts a parameter to the form that PostgreSQL reads: a Date in UTC with milliseconds, bytes unchanged,
 * an array as an array literal, and any other object as JSON with exact `bigint`s. A JSON value that is an
 * array must be passed as a string (`toJson`), because arrays become PostgreSQL arrays.
 */
export function toParameter(value: unknown): string | Buffer | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'object':
      if (value === null) return null
      if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      if (value instanceof Date) return formatDate(value)
      return Array.isArray(value) ? formatArrayLiteral(value) : toJson(value)
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value)
    case 'undefined':
      return null
    default:
      throw new TypeError(`a ${typeof value} cannot be a statement parameter`)
  }
}

function formatDate(date: Date): string {
  const text = date.toISOString()
  // For years outside 0…9999 JavaScript writes a sign and six digits, which PostgreSQL reads as a time zone.
  if (text.length !== 24)
    throw new RangeError(`${text} is not a valid statement parameter: the year must be between 0 and 9999`)
  return text
}

function formatArrayLiteral(elements: readonly unknown[]): string {
  return `{${elements.map(formatElementLiteral).join(',')}}`
}

function formatElementLiteral(element: unknown): string {
  if (Array.isArray(element)) return formatArrayLiteral(element)
  const text = toParameter(element)
  if (text === null) return 'NULL'
  return typeof text === 'string' ? `"${text.replace(/[\\"]/g, '\\$&')}"` : `"\\\\x${text.toString('hex')}"`
}
