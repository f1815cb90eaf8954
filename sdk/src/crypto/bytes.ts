import { getWebCrypto } from './port.ts'

/** The byte array type that Web Crypto accepts, not backed by shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

const HEX = /^(?:[0-9a-fA-F]{2})*$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function bytesFromText(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** Decodes UTF-8. Throws TypeError if the bytes are not valid UTF-8. */
export function textFromBytes(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

/** Encodes bytes as lower-case hex. */
export function hexFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Decodes hex. Undefined if the text is not hex. */
export function bytesFromHex(text: string): Bytes | undefined {
  if (!HEX.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  )
}

/** Encodes bytes as standard base64 with padding. */
export function base64FromBytes(bytes: Uint8Array): string {
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return btoa(characters)
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes standard base64 with padding. Undefined for other text. */
export function bytesFromBase64(text: string): Bytes | undefined {
  return BASE64.test(text) ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : undefined
}

/** Encodes bytes as base64url without padding. */
export function base64urlFromBytes(bytes: Uint8Array): string {
  return base64FromBytes(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes base64url without padding. Throws DOMException for other text. */
export function bytesFromBase64url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await getWebCrypto().subtle.digest('SHA-256', bytes))
}

export function concatBytes(...parts: readonly Uint8Array[]): Bytes {
  const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    result.set(part, offset)
    offset += part.length
  }
  return result
}
