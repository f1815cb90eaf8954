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

export const UUID_LENGTH = NIL_UUID.length
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const ZERO = 48
const LETTER_A = 97
const CODE = /^[0-9A-Z]{8}$/
const END_OF_CODE = `-0000-0000000000${digitsOf(INVITATION_NUMBER)}`

const NUMBERS = { ...ID_KINDS, ...INTERNAL_ID_KINDS }

/** What comes before the uuid, with its colon, by the number of the kind. */
const PREFIXES: readonly (string | undefined)[] = prefixes()

function prefixes(): (string | undefined)[] {
  const all = new Array<string | undefined>(256).fill(undefined)
  for (const [kind, number] of Object.entries(NUMBERS)) all[number] = `${kind}:`
  return all
}

/**
 * The uuid of an id: lower-case hex, 36 characters. The nil uuid for any other text, such as a caller may send in its place,
 * so it finds nothing.
 */
export function uuidOf(id: string): string {
  if (!hasPrefix(id)) return uuidOfCode(id)
  const uuid = id.slice(-UUID_LENGTH)
  return UUID.test(uuid) ? uuid : NIL_UUID
}

/**
 * The uuid of an id of ours, which is as we have made it: only its kind and its length are looked at. Throws for any other
 * text.
 */
export function ownUuidOf(id: string): string {
  const uuid = hasPrefix(id) ? id.slice(-UUID_LENGTH) : uuidOfCode(id)
  if (uuid === NIL_UUID) throw new Error(`${id} is not an id of this server`)
  return uuid
}

/** The id of a uuid of the database. Throws for the number of no kind. */
export function idOf(uuid: string): string {
  const prefix = PREFIXES[lastByteOf(uuid)]
  return prefix === undefined ? codeOf(uuid) : prefix + uuid
}

/** The id of another kind that stands for the same record: the uuid with the number of that kind. */
export function asKind(kind: IdKind, id: string): string {
  return `${kind}:${id.slice(-UUID_LENGTH, -2)}${digitsOf(ID_KINDS[kind])}`
}

/** Whether there is before the last 36 characters what their last two digits say. */
function hasPrefix(id: string): boolean {
  const prefix = PREFIXES[lastByteOf(id)]
  return prefix !== undefined && prefix.length === id.length - UUID_LENGTH && id.startsWith(prefix)
}

/** The number that the last two digits are; not a number where they are none. */
function lastByteOf(text: string): number {
  const { length } = text
  return 16 * digitOf(text.charCodeAt(length - 2)) + digitOf(text.charCodeAt(length - 1))
}

function digitOf(code: number): number {
  if (code >= ZERO && code <= ZERO + 9) return code - ZERO
  return code >= LETTER_A && code <= LETTER_A + 5 ? code - LETTER_A + 10 : Number.NaN
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
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function digitsOf(number: number): string {
  return number.toString(16).padStart(2, '0')
}
