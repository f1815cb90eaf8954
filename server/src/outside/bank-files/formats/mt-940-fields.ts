import { quoteForMessage } from './decimal-amounts.ts'
import { countLeadingPadding, decodeText, replaceControls } from './decode-text.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** A field of a message, or the end of a message if the file marks it. */
export type MtPart =
  | {
      readonly type: 'field'
      /** Its first line, counted from 1. */
      readonly line: number
      /** `20`, `28C`, `60F` … */
      readonly tag: string
      readonly lines: readonly string[]
      /** The message type in the header, such as `940`. Undefined if the header does not state one. */
      readonly message: string | undefined
    }
  | { readonly type: 'end' }

export type MtField = Extract<MtPart, { type: 'field' }>

export const LINE_CHARACTERS_MAX = 4_096
export const FIELD_LINES_MAX = 200
const FIELD = /^:(\d\d[A-Z]?|NS):(.*)$/
/** A header line with the bank's code, the message type, or both. */
const HEADER_LINE = /^(?:(9\d\d)(?: \d\d)?|[A-Z0-9]{4,30}|\d{4} [A-Z0-9 ]{4,40})$/
const TEXT_BLOCK = '{4:'
/** Control characters that mark the start and the end of a transmission. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const TRANSMISSION = /[\u0000\u0001\u0003\u001a\ufeff]/g

/**
 * Reads the fields of a file with any line breaks, in SWIFT blocks, after header lines as of Dutch banks, or
 * without either. Throws UnreadableFile.
 */
export async function* readMtParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<MtPart> {
  const fields = new FieldSplitter()
  for await (const text of decodeText(bytes)) yield* fields.take(text)
  yield* fields.end()
}

interface OpenField {
  readonly line: number
  readonly tag: string
  readonly lines: string[]
}

class FieldSplitter {
  #rest = ''
  #number = 0
  #message: string | undefined
  #isInside = false
  #field: OpenField | undefined

  take(text: string): MtPart[] {
    const unread = this.#rest + text
    // A chunk may end inside a line break.
    const heldBack = unread.endsWith('\r') ? 1 : 0
    const pieces = unread.slice(0, unread.length - heldBack).split(/\r\n|\r|\n/)
    this.#rest = (pieces.pop() ?? '') + unread.slice(unread.length - heldBack)
    if (this.#rest.length > LINE_CHARACTERS_MAX) this.#refuse(this.#number + 1, TOO_LONG)
    return pieces.flatMap((piece) => this.#readLine(piece))
  }

  end(): MtPart[] {
    const found = this.#readLine(this.#rest.replace(/\r$/, ''))
    this.#rest = ''
    return [...found, ...this.#closeField()]
  }

  #readLine(written: string): MtPart[] {
    this.#number += 1
    if (written.length > LINE_CHARACTERS_MAX) this.#refuse(this.#number, TOO_LONG)
    const text = replaceControls(written.replaceAll(TRANSMISSION, ''))
    return this.#isInside ? this.#readInside(text) : this.#readOutside(text.trim())
  }

  #readInside(text: string): MtPart[] {
    const line = text.trimEnd()
    if (line === '-' || line.startsWith('-}')) {
      const found = [...this.#closeField(), { type: 'end' } as const]
      this.#isInside = false
      this.#message = undefined
      return [...found, ...this.#readOutside(line.slice(2).trim())]
    }
    if (line.startsWith('{1:')) return [...this.#closeField(), ...this.#readOutside(line)]
    const [, tag, content = ''] = FIELD.exec(text) ?? []
    if (tag !== undefined) {
      const found = this.#closeField()
      this.#field = { line: this.#number, tag, lines: [content] }
      return found
    }
    this.#field?.lines.push(text)
    if ((this.#field?.lines.length ?? 0) > FIELD_LINES_MAX)
      this.#refuse(this.#field?.line ?? 0, `field ${this.#field?.tag} has more than ${FIELD_LINES_MAX} lines`)
    return []
  }

  #readOutside(line: string): MtPart[] {
    this.#isInside = false
    if (line === '') return []
    const [, marked] = /^:(9\d\d):$/.exec(line) ?? []
    if (FIELD.test(line)) {
      this.#isInside = true
      return this.#readInside(line)
    }
    if (line.startsWith('{')) return this.#readBlocks(line)
    const header = HEADER_LINE.exec(line)
    if (marked === undefined && !header)
      this.#refuse(this.#number, `${quoteForMessage(line)} is outside of a message`)
    this.#message = marked ?? header?.[1] ?? this.#message
    return []
  }

  /** Reads the blocks around a message: block 2 contains its type, and its text begins in block 4. */
  #readBlocks(line: string): MtPart[] {
    this.#message = /\{2:[IO](\d{3})/.exec(line)?.[1] ?? this.#message
    const at = line.indexOf(TEXT_BLOCK)
    if (at < 0) return []
    const text = line.slice(at + TEXT_BLOCK.length).trim()
    this.#isInside = true
    return text === '' ? [] : this.#readInside(text)
  }

  #closeField(): MtPart[] {
    const field = this.#field
    this.#field = undefined
    return field ? [{ type: 'field', ...field, message: this.#message }] : []
  }

  #refuse(line: number, reason: string): never {
    throw new UnreadableFile(`line ${line}: ${reason}`)
  }
}

const TOO_LONG = `is longer than ${LINE_CHARACTERS_MAX} characters`

/** True if a file begins with a field 20, or with a header that banks put in front of it. */
export function startsLikeMt940(head: Uint8Array): boolean {
  const text = Buffer.from(head)
    .toString('latin1')
    .replaceAll(TRANSMISSION, '')
    .replace(/^\u00ef\u00bb\u00bf/, '')
  const content = text.slice(countLeadingPadding(text))
  return (
    /^(?:\{1:[A-Z]\d\d|:20:|:9\d\d:\s*[\r\n])/.test(content) ||
    /^(?:[A-Z0-9]{4,30}|\d{4} [A-Z0-9 ]{4,40})\s*[\r\n](?:[A-Z0-9 ]{3,45}\s*[\r\n]+){0,4}:20:/.test(content)
  )
}
