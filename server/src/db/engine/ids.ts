import { createHash } from 'node:crypto'
import {
  ID_KINDS,
  type IdKind,
  INTERNAL_ID_KINDS,
  INVITATION_NUMBER,
  type InternalIdKind,
} from '@countersign/contract/core/ids'

/**
 * Ids are text above the database, `<Kind>:<UUID>`, and 16 bytes in it. The last byte of the UUID is the number of the kind,
 * so each uuid that comes up from a column is written out as the id that it was. An invitation has a code for an id: its uuid is
 * made of the letters. Decision 0038.
 */

/** A uuid that no row has: its last byte is the number of no kind. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

const UUID_LENGTH = NIL_UUID.length
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const COLON = 58
const CODE = /^[0-9A-Z]{8}$/
const END_OF_CODE = `-0000-0000000000${digitsOf(INVITATION_NUMBER)}`

const NUMBERS = { ...ID_KINDS, ...INTERNAL_ID_KINDS }

/** What comes before the uuid, with its colon, by the last two digits of the uuid. */
const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries(NUMBERS).map(([kind, number]) => [digitsOf(number), `${kind}:`]),
)

/**
 * The uuid of an id: lower-case hex, 36 characters. The nil uuid for any other text, such as a caller may send in its place,
 * so it finds nothing.
 */
export function uuidOf(id: string): string {
  const length = id.length - UUID_LENGTH
  if (length < 2 || id.charCodeAt(length - 1) !== COLON) return uuidOfCode(id)
  const prefix = PREFIXES.get(id.slice(-2))
  if (prefix?.length !== length || !id.startsWith(prefix)) return NIL_UUID
  const uuid = id.slice(length)
  return UUID.test(uuid) ? uuid : NIL_UUID
}

/** The uuid of an id of ours. Throws for any other text. */
export function ownUuidOf(id: string): string {
  const uuid = uuidOf(id)
  if (uuid === NIL_UUID) throw new Error(`${id} is not an id of this server`)
  return uuid
}

/** The id of a uuid of the database. Throws for the number of no kind. */
export function idOf(uuid: string): string {
  const prefix = PREFIXES.get(uuid.slice(-2))
  return prefix === undefined ? codeOf(uuid) : prefix + uuid
}

function uuidOfCode(code: string): string {
  if (!CODE.test(code)) return NIL_UUID
  const hex = Buffer.from(code, 'latin1').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12)}${END_OF_CODE}`
}

function codeOf(uuid: string): string {
  if (!uuid.endsWith(END_OF_CODE)) throw new Error(`${uuid} is the uuid of no kind of record`)
  return Buffer.from(uuid.slice(0, -END_OF_CODE.length).replaceAll('-', ''), 'hex').toString('latin1')
}

/** The id of a kind with this uuid but for its last byte, which becomes the number of the kind. */
export function idOfKind(kind: IdKind | InternalIdKind, uuid: string): string {
  return `${kind}:${uuid.slice(0, -2)}${digitsOf(NUMBERS[kind])}`
}

/** A uuid that follows from a text: of version 8, the rest from its SHA-256. */
export function uuidOfText(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function digitsOf(number: number): string {
  return number.toString(16).padStart(2, '0')
}
