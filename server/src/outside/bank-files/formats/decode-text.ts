import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** Long enough for a byte order mark, blank lines, and an XML declaration. */
const HEAD_BYTES = 1_024
/** Single-byte encodings that banks declare. */
const SINGLE_BYTE =
  /^(?:iso-?8859-?\d{1,2}|(?:windows|cp)-?125\d|(?:ibm|cp)-?\d{3}|latin-?\d|macintosh|koi8-r)$/i
const UTF_8 = /^(?:utf-?8|(?:us-)?ascii)$/i
const UTF_16 = /^(?:utf-?16(?:le|be)?|ucs-?2|iso-10646-ucs-2)$/i
/** Encodings decoded as windows-1252, the superset of ISO-8859-1, as in HTML. */
const LATIN_1 = /^(?:iso-?8859-?1|latin-?1|windows-?1252|cp-?1252)$/i
/** Control characters that XML cannot contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
/** Decodes bytes chunk by chunk. */
interface Decoder {
  write(piece: Uint8Array): string
  end(): string
}

/**
 * Decodes an XML file in its declared encoding. Removes padding around the document: byte order mark, blank
 * lines, zero bytes and Ctrl-Z. Characters that XML does not allow become U+FFFD. An invalid byte in a UTF-8
 * file is read as windows-1252, so that it spoils one letter rather than the file.
 */
export async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head: Buffer | undefined = Buffer.alloc(0)
  let decoder: Decoder = new Utf8Decoder()
  const remover = new PaddingRemover()
  for await (const piece of bytes) {
    if (!head) {
      yield remover.take(decoder.write(piece))
      continue
    }
    head = Buffer.concat([head, piece])
    if (head.length < HEAD_BYTES) continue
    decoder = chooseDecoder(head)
    yield remover.take(decoder.write(head))
    head = undefined
  }
  if (head) {
    decoder = chooseDecoder(head)
    yield remover.take(decoder.write(head))
  }
  yield remover.take(decoder.end())
}

/**
 * Decodes a file without a declared encoding as UTF-8. Bytes that are not valid UTF-8 are read as
 * windows-1252.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new Utf8Decoder()
  for await (const piece of bytes) yield decoder.write(piece)
  yield decoder.end()
}

/** True if a file may be XML in any supported encoding. */
export function startsLikeXml(head: Uint8Array): boolean {
  if (detectWideEncoding(head)) return true
  const text = Buffer.from(head).toString('utf8')
  return text.slice(countLeadingPadding(text)).startsWith('<')
}

function chooseDecoder(head: Uint8Array): Decoder {
  const wide = detectWideEncoding(head)
  if (wide) return new BuiltInDecoder(wide)
  const text = Buffer.from(head).toString('latin1')
  const encoding = /<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]{1,40})["']/.exec(text)?.[1] ?? 'UTF-8'
  // Some programs declare UTF-16 but write UTF-8, so the bytes decide.
  if (UTF_8.test(encoding) || UTF_16.test(encoding)) return new Utf8Decoder()
  if (LATIN_1.test(encoding)) return createSingleByteDecoder('windows-1252')
  if (SINGLE_BYTE.test(encoding) && iconv.encodingExists(encoding)) return createSingleByteDecoder(encoding)
  throw new UnreadableFile(`declares the encoding ${quoteForMessage(encoding)}, which is not supported`)
}

/** Detects UTF-16 by its byte order mark, or by the zero byte of the first character. */
function detectWideEncoding(head: Uint8Array): string | undefined {
  const [first, second] = head
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return undefined
}

function createSingleByteDecoder(encoding: string): Decoder {
  const decoder = iconv.getDecoder(encoding)
  return { write: (piece) => decoder.write(Buffer.from(piece)), end: () => decoder.end() ?? '' }
}

/** Decodes UTF-16. Unpaired surrogates become U+FFFD. */
class BuiltInDecoder implements Decoder {
  readonly #decoder: TextDecoder

  constructor(encoding: string) {
    this.#decoder = new TextDecoder(encoding)
  }

  write(piece: Uint8Array): string {
    return this.#decoder.decode(piece, { stream: true })
  }

  end(): string {
    return this.#decoder.decode()
  }
}

/** Decodes UTF-8, and windows-1252 for each byte that is not valid UTF-8. */
class Utf8Decoder implements Decoder {
  #rest = Buffer.alloc(0)

  write(piece: Uint8Array): string {
    const bytes = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece])
    const whole = bytes.length - countUnfinishedBytes(bytes)
    this.#rest = bytes.subarray(whole)
    return decodeUtf8(bytes.subarray(0, whole))
  }

  end(): string {
    return decodeUtf8(this.#rest)
  }
}

/** Counts the bytes of an incomplete character at the end. */
function countUnfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const length = countCharacterBytes(bytes[bytes.length - back] ?? 0)
    if (length > 0) return length > back ? back : 0
  }
  return 0
}

/** Counts the bytes of a character that begins with this byte. Returns 0 if no character does. */
function countCharacterBytes(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc2 || byte > 0xf4) return 0
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

/** Decodes UTF-8. Bytes that are not valid UTF-8 are read as windows-1252. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = countCharacterBytes(bytes[at] ?? 0)
    const character = bytes.subarray(at, at + Math.max(length, 1))
    const isValid = length > 0 && character.length === length && isUtf8(character)
    text += isValid ? character.toString('utf8') : decodeWindows1252(bytes.subarray(at, at + 1))
    at += isValid ? length : 1
  }
  return text
}

export function decodeWindows1252(bytes: Buffer): string {
  return iconv.decode(bytes, 'windows-1252', { stripBOM: false })
}

/** Replaces characters that XML or the database do not accept with U+FFFD. */
export function replaceControls(text: string): string {
  return text.replaceAll(CONTROLS, '\ufffd')
}

/** Removes the padding before and after a document. */
class PaddingRemover {
  #hasContent = false
  /** Padding to remove unless more of the document follows. */
  #held = ''

  take(text: string): string {
    const content = this.#hasContent ? text : text.slice(countLeadingPadding(text))
    if (content === '') return ''
    this.#hasContent = true
    const end = content.length - countTrailingPadding(content)
    if (end === 0) {
      // Many blanks are equivalent to one.
      this.#held = this.#held.length > HEAD_BYTES ? ' ' : this.#held + content
      return ''
    }
    const whole = this.#held + content.slice(0, end)
    this.#held = content.slice(end)
    return replaceControls(whole)
  }
}

/** True for blanks, a byte order mark, zero bytes, and Ctrl-Z. */
function isPadding(character: string): boolean {
  return '\u0000\u001a\ufeff \t\r\n'.includes(character)
}

/** Counts the padding characters at the start. */
export function countLeadingPadding(text: string): number {
  let count = 0
  while (count < text.length && isPadding(text.charAt(count))) count += 1
  return count
}

/** Counts the padding characters at the end. */
export function countTrailingPadding(text: string): number {
  let count = 0
  while (count < text.length && isPadding(text.charAt(text.length - 1 - count))) count += 1
  return count
}
