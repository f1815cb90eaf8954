import { quoteForMessage } from './decimal-amounts.ts'
import { countLeadingPadding, countTrailingPadding, decodeText, replaceControls } from './decode-text.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** A physical record. */
export interface Bai2Line {
  /** The physical record's number, starting at 1. */
  readonly number: number
  /** Two digits: `01`, `02`, `03`, `16`, `49`, `88`, `98` or `99`. */
  readonly code: string
  /** The record after the code and comma, without padding. */
  readonly text: string
}

export const LINE_CHARACTERS_MAX = 32_768
const LINE_START = /^(01|02|03|16|49|88|98|99)(?:,|\/|$)/
const LENGTH_PLACE = 6

/**
 * Reads the physical records of a BAI2 file, separated by any line breaks or by the record length in the file
 * header. Skips padding and blank records. Throws UnreadableFile.
 */
export async function* readBai2Lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Bai2Line> {
  const lines = new LineSplitter()
  for await (const text of decodeText(bytes)) yield* lines.take(text)
  yield* lines.end()
}

class LineSplitter {
  #rest = ''
  #number = 0

  take(text: string): Bai2Line[] {
    const pieces = (this.#rest + text).split(/\r\n|\r|\n/)
    this.#rest = pieces.pop() ?? ''
    const found = pieces.flatMap((piece) => this.#splitRecords(piece))
    if (this.#rest.length <= LINE_CHARACTERS_MAX) return found
    return [...found, ...this.#cutRest()]
  }

  end(): Bai2Line[] {
    const last = this.#rest
    this.#rest = ''
    return this.#splitRecords(last)
  }

  /** Splits the remaining text of a file without line breaks. */
  #cutRest(): Bai2Line[] {
    const length = this.#length ?? readRecordLength(this.#rest)
    if (length === undefined)
      this.#refuse(this.#number + 1, `is longer than ${LINE_CHARACTERS_MAX} characters`)
    this.#length = length
    const whole = this.#rest.length - (this.#rest.length % length)
    const text = this.#rest.slice(0, whole)
    this.#rest = this.#rest.slice(whole)
    return this.#cut(text, length)
  }

  /** The record length of a file without line breaks, once it is known. */
  #length: number | undefined

  #splitRecords(text: string): Bai2Line[] {
    const length = this.#length ?? (this.#number === 0 ? readRecordLength(text) : undefined)
    if (length === undefined || text.length <= length) return this.#readRecord(text)
    this.#length = length
    return this.#cut(text, length)
  }

  #cut(text: string, length: number): Bai2Line[] {
    const found: Bai2Line[] = []
    for (let at = 0; at < text.length; at += length)
      found.push(...this.#readRecord(text.slice(at, at + length)))
    return found
  }

  #readRecord(padded: string): Bai2Line[] {
    const trimmedStart = padded.slice(countLeadingPadding(padded))
    const text = trimmedStart.slice(0, trimmedStart.length - countTrailingPadding(trimmedStart))
    if (text === '') return []
    this.#number += 1
    const [, code] = LINE_START.exec(text) ?? []
    if (code === undefined)
      this.#refuse(
        this.#number,
        `begins with ${quoteForMessage(text.slice(0, 3))}, which is not a record type`,
      )
    return [{ number: this.#number, code, text: replaceControls(text.slice(code.length + 1)) }]
  }

  #refuse(line: number, reason: string): never {
    throw new UnreadableFile(`line ${line}: ${reason}`)
  }
}

/** Reads the record length in a file header, if the next record follows it without a line break. */
function readRecordLength(text: string): number | undefined {
  const [header = ''] = text.slice(countLeadingPadding(text)).split('/')
  const length = Number(header.split(',')[LENGTH_PLACE])
  const isCut = Number.isSafeInteger(length) && length > header.length && text.length > length
  return isCut && LINE_START.test(text.slice(length)) ? length : undefined
}

/** True if a file begins with a BAI2 file header. ACH files begin with `101`. */
export function startsLikeBai2(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('utf8')
  return /^01,/.test(text.slice(countLeadingPadding(text)))
}
