import { createHash } from 'node:crypto'
import {
  ID_KINDS,
  type IdKind,
  INTERNAL_ID_KINDS,
  INVITATION_NUMBER,
  type InternalIdKind,
} from '@countersign/contract/core/ids'

/**
 * Ids are `<Kind>:<UUID>` above the database, and 16 bytes in it. The last byte of the UUID is the number of
 * the kind, so each uuid read from a column gets back its prefix (decision 0038). The id of an invitation is
 * a code, whose letters are encoded in the uuid.
 */

/** A uuid that no row has: its last byte stands for no kind. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export const UUID_LENGTH = NIL_UUID.length
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const ZERO = 48
const LETTER_A = 97
const CODE = /^[0-9A-Z]{8}$/
const END_OF_CODE = `-0000-0000000000${digitsOf(INVITATION_NUMBER)}`

const NUMBERS = { ...ID_KINDS, ...INTERNAL_ID_KINDS }

/** Prefix of an id, including the colon, by the number of its kind. */
const PREFIXES: readonly (string | undefined)[] = prefixes()

function prefixes(): (string | undefined)[] {
  const all = new Array<string | undefined>(256).fill(undefined)
  for (const [kind, number] of Object.entries(NUMBERS)) all[number] = `${kind}:`
  return all
}

/**
 * The uuid of an id, in 36 lower-case characters. The nil uuid for malformed ids, which callers may send: it
 * finds nothing.
 */
export function uuidOf(id: string): string {
  if (!hasPrefix(id)) return uuidOfCode(id)
  const uuid = id.slice(-UUID_LENGTH)
  return UUID.test(uuid) ? uuid : NIL_UUID
}

/** The uuid of an id that we made, so only its kind and length are checked. Throws if they do not match. */
export function ownUuidOf(id: string): string {
  const uuid = hasPrefix(id) ? id.slice(-UUID_LENGTH) : uuidOfCode(id)
  if (uuid === NIL_UUID) throw new Error(`${id} is not an id of this server`)
  return uuid
}

/** The id for a database uuid. Throws if its kind is unknown. */
export function idOf(uuid: string): string {
  const prefix = PREFIXES[lastByteOf(uuid)]
  return prefix === undefined ? codeOf(uuid) : prefix + uuid
}

/** The id of another kind for the same record: the uuid with the number of that kind. */
export function asKind(kind: IdKind, id: string): string {
  return `${kind}:${id.slice(-UUID_LENGTH, -2)}${digitsOf(ID_KINDS[kind])}`
}

/** The smallest UUIDv7 of a time in milliseconds since 1970: ids made then or later are not below it. */
export function firstUuidAt(timeMs: number): string {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The last time that the database takes in the form of four-digit years. */
const LAST_MS = Date.UTC(9999, 11, 31)

/** The time in a UUIDv7. Of any other uuid some time, at most the end of the year 9999. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Math.min(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16), LAST_MS))
}

/** True if the id prefix matches the type encoded in its last two digits. */
function hasPrefix(id: string): boolean {
  const prefix = PREFIXES[lastByteOf(id)]
  return prefix !== undefined && prefix.length === id.length - UUID_LENGTH && id.startsWith(prefix)
}

/** The number in the last two digits; NaN if they are not hexadecimal. */
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
  if (!uuid.endsWith(END_OF_CODE)) throw new Error(`${uuid} is not a uuid of a known kind of record`)
  return Buffer.from(uuid.slice(0, -END_OF_CODE.length).replaceAll('-', ''), 'hex').toString('latin1')
}

/** The id of a kind with this uuid, whose last byte becomes the number of the kind. */
export function idOfKind(kind: IdKind | InternalIdKind, uuid: string): string {
  return `${kind}:${uuid.slice(0, -2)}${digitsOf(NUMBERS[kind])}`
}

/** A version 8 UUID from the SHA-256 of a string. */
export function uuidOfText(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function digitsOf(number: number): string {
  return number.toString(16).padStart(2, '0')
}
