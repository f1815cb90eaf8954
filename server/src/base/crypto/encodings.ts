import { isAscii } from 'node:buffer'
import { isObject } from '@countersign/contract/core/decode'
import { parseJson } from '../json/json.ts'

const HEX_ONE_CASE = /^(?:(?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)$/
const BASE64URL = /^[A-Za-z0-9_-]+$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a non-empty hex string. Undefined for anything else, which `Buffer.from(text, 'hex')` would
 * truncate. The letters must be all upper or all lower case: a flipped bit may change the case of one letter,
 * and no client mixes them.
 */
export function bytesFromHex(text: string): Buffer | undefined {
  return HEX_ONE_CASE.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Encodes bytes as lower-case hex. */
export function hexFromBytes(bytes: Uint8Array): string {
  return toBuffer(bytes).toString('hex')
}

/**
 * Decodes base64url without padding, in its only canonical form. Undefined for padding, other characters and
 * leftover bits, all of which `Buffer.from(text, 'base64url')` accepts.
 */
export function bytesFromBase64url(text: string): Buffer | undefined {
  if (!BASE64URL.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * Decodes standard base64 with padding (RFC 4648 section 4), in its only canonical form. Undefined for
 * anything else.
 */
export function bytesFromBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Decodes UTF-8. Undefined for invalid bytes. A byte order mark is kept, so that JSON rejects it. */
export function textFromUtf8(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return toBuffer(bytes).toString('latin1')
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Parses JSON in UTF-8. Undefined for invalid bytes. */
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
 * Parses a JSON object that has exactly the properties `names`, in any order, each once and each a string.
 * Undefined for anything else. Never throws.
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
  // JSON.parse silently keeps the last of duplicate properties. Each property consists of two strings, its
  // name and its value, so a dropped or unexpected one changes the number of strings.
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

/** A Buffer that shares the memory, for its methods. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
