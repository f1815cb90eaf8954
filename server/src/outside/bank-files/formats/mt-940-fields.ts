import { quoteForMessage } from './decimal-amounts.ts'
import { countLeadingPadding, decodeText, withoutControls } from './decode-text.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** A field of a message, or the end of a message, if the file marks one. */
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
 * Reads the fields of a file with any line breaks: in SWIFT blocks, after the header lines of Dutch banks, or
 * without either. Throws UnreadableFile.
 */
export async function* readMtParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<MtPart> {
  const fields = new Fields()
  for await (const text of decodeText(bytes)) yield* fields.take(text)
  yield* fields.end()
}

interface OpenField {
  readonly line: number
  readonly tag: string
  readonly lines: string[]
}

class Fields {
  #rest = ''
  #number = 0
  #message: string | undefined
  #isInside = false
  #field: OpenField | undefined

  take(text: string): MtPart[] {
    const all = this.#rest + text
    // A chunk may end inside a line break.
    const held = all.endsWith('\r') ? 1 : 0
    const pieces = all.slice(0, all.length - held).split(/\r\n|\r|\n/)
    this.#rest = (pieces.pop() ?? '') + all.slice(all.length - held)
    if (this.#rest.length > LINE_CHARACTERS_MAX) this.#refuse(this.#number + 1, tooLong)
    return pieces.flatMap((piece) => this.#line(piece))
  }

  end(): MtPart[] {
    const found = this.#line(this.#rest.replace(/\r$/, ''))
    this.#rest = ''
    return [...found, ...this.#close()]
  }

  #line(written: string): MtPart[] {
    this.#number += 1
    if (written.length > LINE_CHARACTERS_MAX) this.#refuse(this.#number, tooLong)
    const text = withoutControls(written.replaceAll(TRANSMISSION, ''))
    return this.#isInside ? this.#inside(text) : this.#outside(text.trim())
  }

  #inside(text: string): MtPart[] {
    const line = text.trimEnd()
    if (line === '-' || line.startsWith('-}')) {
      const found = [...this.#close(), { type: 'end' } as const]
      this.#isInside = false
      this.#message = undefined
      return [...found, ...this.#outside(line.slice(2).trim())]
    }
    if (line.startsWith('{1:')) return [...this.#close(), ...this.#outside(line)]
    const [, tag, content = ''] = FIELD.exec(text) ?? []
    if (tag !== undefined) {
      const found = this.#close()
      this.#field = { line: this.#number, tag, lines: [content] }
      return found
    }
    this.#field?.lines.push(text)
    if ((this.#field?.lines.length ?? 0) > FIELD_LINES_MAX)
      this.#refuse(this.#field?.line ?? 0, `field ${this.#field?.tag} has more than ${FIELD_LINES_MAX} lines`)
    return []
  }

  #outside(line: string): MtPart[] {
    this.#isInside = false
    if (line === '') return []
    const [, marked] = /^:(9\d\d):$/.exec(line) ?? []
    if (FIELD.test(line)) {
      this.#isInside = true
      return this.#inside(line)
    }
    if (line.startsWith('{')) return this.#blocks(line)
    const header = HEADER_LINE.exec(line)
    if (marked === undefined && !header)
      this.#refuse(this.#number, `${quoteForMessage(line)} stands outside of a message`)
    this.#message = marked ?? header?.[1] ?? this.#message
    return []
  }

  /** Parses the blocks around a message: the second contains its type, and its text begins in the fourth. */
  #blocks(line: string): MtPart[] {
    this.#message = /\{2:[IO](\d{3})/.exec(line)?.[1] ?? this.#message
    const at = line.indexOf(TEXT_BLOCK)
    if (at < 0) return []
    const text = line.slice(at + TEXT_BLOCK.length).trim()
    this.#isInside = true
    return text === '' ? [] : this.#inside(text)
  }

  #close(): MtPart[] {
    const field = this.#field
    this.#field = undefined
    return field ? [{ type: 'field', ...field, message: this.#message }] : []
  }

  #refuse(line: number, what: string): never {
    throw new UnreadableFile(`line ${line}: ${what}`)
  }
}

const tooLong = `longer than ${LINE_CHARACTERS_MAX} characters`

/** True if a file begins with a field 20, or with a header that banks put in front of it. */
export function startsLikeMt940(head: Uint8Array): boolean {
  const text = Buffer.from(head)
    .toString('latin1')
    .replaceAll(TRANSMISSION, '')
    .replace(/^\u00ef\u00bb\u00bf/, '')
  const begun = text.slice(countLeadingPadding(text))
  return (
    /^(?:\{1:[A-Z]\d\d|:20:|:9\d\d:\s*[\r\n])/.test(begun) ||
    /^(?:[A-Z0-9]{4,30}|\d{4} [A-Z0-9 ]{4,40})\s*[\r\n](?:[A-Z0-9 ]{3,45}\s*[\r\n]+){0,4}:20:/.test(begun)
  )
}
