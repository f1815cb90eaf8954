import { createHash } from 'node:crypto'
import {
  ID_KINDS,
  type IdKind,
  INTERNAL_ID_KINDS,
  INVITATION_NUMBER,
  type InternalIdKind,
} from '@countersign/contract/core/ids'

/**
 * Ids are `<Kind>:<UUID>` in code and 16 bytes in the database. The last byte of the UUID is the number of
 * the kind, from which a uuid read from the database gets its prefix back (decision 0038). The id of an
 * invitation is a code, whose letters are encoded in the uuid.
 */

/** A uuid that no row has: its last byte is not the number of any kind. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export const UUID_LENGTH = NIL_UUID.length
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const ZERO = 48
const LETTER_A = 97
const CODE = /^[0-9A-Z]{8}$/
const END_OF_CODE = `-0000-0000000000${formatKindNumber(INVITATION_NUMBER)}`

const NUMBERS = { ...ID_KINDS, ...INTERNAL_ID_KINDS }

/** Id prefixes, including the colon, by the number of their kind. */
const PREFIXES: readonly (string | undefined)[] = listPrefixes()

function listPrefixes(): (string | undefined)[] {
  const prefixes = new Array<string | undefined>(256).fill(undefined)
  for (const [kind, number] of Object.entries(NUMBERS)) prefixes[number] = `${kind}:`
  return prefixes
}

/**
 * The uuid of an id, as 36 lower-case characters. Malformed ids, which callers may send, give the nil uuid,
 * which matches no row.
 */
export function extractUuid(id: string): string {
  if (!hasPrefix(id)) return encodeCode(id)
  const uuid = id.slice(-UUID_LENGTH)
  return UUID.test(uuid) ? uuid : NIL_UUID
}

/**
 * The uuid of an id created by this server, so only its kind and length are checked. Throws if they do not
 * match.
 */
export function toOwnUuid(id: string): string {
  const uuid = hasPrefix(id) ? id.slice(-UUID_LENGTH) : encodeCode(id)
  if (uuid === NIL_UUID) throw new Error(`${id} is not an id of this server`)
  return uuid
}

/** The id of a database uuid. Throws if its kind is unknown. */
export function idOf(uuid: string): string {
  const prefix = PREFIXES[parseLastByte(uuid)]
  return prefix === undefined ? decodeCode(uuid) : prefix + uuid
}

/** The id of another kind for the same record: same uuid, but with the number of that kind. */
export function toIdOfKind(kind: IdKind, id: string): string {
  return `${kind}:${id.slice(-UUID_LENGTH, -2)}${formatKindNumber(ID_KINDS[kind])}`
}

/**
 * The smallest UUIDv7 of a time, given in milliseconds since 1970. Ids created then or later are not smaller.
 */
export function toFirstUuidAt(timeMs: number): string {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The latest time that the database accepts with a four-digit year. */
const LAST_MS = Date.UTC(9999, 11, 31)

/**
 * The time of a UUIDv7. For any other uuid it returns an arbitrary time, at most the end of the year 9999.
 */
export function readUuidTime(uuid: string): Date {
  return new Date(Math.min(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16), LAST_MS))
}

/** True if the id's prefix matches the kind encoded in its last two digits. */
function hasPrefix(id: string): boolean {
  const prefix = PREFIXES[parseLastByte(id)]
  return prefix !== undefined && prefix.length === id.length - UUID_LENGTH && id.startsWith(prefix)
}

/** Parses the last two digits; NaN if they are not hexadecimal. */
function parseLastByte(text: string): number {
  const { length } = text
  return 16 * parseHexDigit(text.charCodeAt(length - 2)) + parseHexDigit(text.charCodeAt(length - 1))
}

function parseHexDigit(code: number): number {
  if (code >= ZERO && code <= ZERO + 9) return code - ZERO
  return code >= LETTER_A && code <= LETTER_A + 5 ? code - LETTER_A + 10 : Number.NaN
}

function encodeCode(code: string): string {
  if (!CODE.test(code)) return NIL_UUID
  const hex = Buffer.from(code, 'latin1').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12)}${END_OF_CODE}`
}

function decodeCode(uuid: string): string {
  if (!uuid.endsWith(END_OF_CODE)) throw new Error(`${uuid} is not a uuid of a known kind of record`)
  return Buffer.from(uuid.slice(0, -END_OF_CODE.length).replaceAll('-', ''), 'hex').toString('latin1')
}

/** Combines a kind with a uuid, whose last byte is replaced with the number of the kind. */
export function buildId(kind: IdKind | InternalIdKind, uuid: string): string {
  return `${kind}:${uuid.slice(0, -2)}${formatKindNumber(NUMBERS[kind])}`
}

/** A version 8 UUID derived from the SHA-256 of a string. */
export function deriveUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function formatKindNumber(number: number): string {
  return number.toString(16).padStart(2, '0')
}
