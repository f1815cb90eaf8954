import { isAscii } from 'node:buffer'
import { isObject } from '@countersign/contract/core/decode'
import { parseJson } from '../json/json.ts'

const HEX_ONE_CASE = /^(?:(?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)$/
const BASE64URL = /^[A-Za-z0-9_-]+$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a non-empty hex string; undefined for anything else, where `Buffer.from(text, 'hex')` would
 * truncate. Accepts upper or lower case, but not both: a flipped bit can change the case of a letter, and no
 * client mixes them.
 */
export function bytesFromHex(text: string): Buffer | undefined {
  return HEX_ONE_CASE.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Lower-case hex of bytes. */
export function hexFromBytes(bytes: Uint8Array): string {
  return view(bytes).toString('hex')
}

/**
 * Decodes base64url without padding, in its one canonical spelling; undefined for padding, characters outside
 * the alphabet and leftover bits, all of which `Buffer.from(text, 'base64url')` accepts.
 */
export function bytesFromBase64url(text: string): Buffer | undefined {
  if (!BASE64URL.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * Decodes standard base64 (RFC 4648 section 4) with padding, in its one canonical spelling; undefined for
 * anything else.
 */
export function bytesFromBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Decodes UTF-8; undefined for invalid bytes. A byte order mark stays in, so that JSON refuses it. */
export function textFromUtf8(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return view(bytes).toString('latin1')
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The value of JSON in UTF-8; undefined for invalid bytes. */
export function jsonFromUtf8(bytes: Uint8Array): unknown {
  const text = textFromUtf8(bytes)
  if (text === undefined) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * Parses JSON that is one object with exactly the properties `names`, in any order, each once and each a
 * string. Undefined for anything else; never throws.
 */
export function readStringMembers<Name extends string>(
  text: string,
  names: readonly Name[],
): Record<Name, string> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!hasStrings(value, names)) return undefined
  // JSON.parse silently keeps the last of duplicate properties. Every property here is two strings, its name
  // and its value, so a dropped or unexpected one appears as an extra string.
  if (text.match(JSON_STRING)?.length !== names.length * 2) return undefined
  return value
}

function hasStrings<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, string> {
  return (
    isObject(value) && names.every((name) => Object.hasOwn(value, name) && typeof value[name] === 'string')
  )
}

/** A Buffer over the same memory, for its methods. */
function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
