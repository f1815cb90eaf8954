import { isUtf8 } from 'node:buffer'
import { RECORD_CHARACTERS } from './ach-records.ts'
import { decodeWindows1252, replaceControls } from './decode-text.ts'

const [LINE_FEED, CARRIAGE_RETURN, SPACE, ZERO, END_MARK] = [0x0a, 0x0d, 0x20, 0x00, 0x1a]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const
/** A longer line means that the file has no line breaks, so its records are cut by length. */
const LINE_BYTES_MAX = RECORD_CHARACTERS * 8

export interface AchLine {
  /** The record's number, starting at 1. */
  readonly number: number
  /** 94 characters. */
  readonly text: string
}

/**
 * Reads the records of a NACHA file with any line breaks or none. Skips blank lines, a byte order mark, zero
 * bytes and Ctrl-Z, and pads trimmed records with spaces. Bytes beyond ASCII are read as UTF-8 if the record
 * then has 94 characters, and otherwise as windows-1252.
 */
export async function* readAchLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AchLine> {
  const lines = new LineSplitter()
  for await (const piece of bytes) for (const byte of piece) if (lines.add(byte)) yield* lines.takeLines()
  lines.end()
  yield* lines.takeLines()
}

class LineSplitter {
  readonly #line = Buffer.alloc(LINE_BYTES_MAX)
  #filled = 0
  #number = 0
  #isFirst = true
  #taken: AchLine[] = []

  /** Adds a byte. Returns true when a line is complete. */
  add(byte: number): boolean {
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
      this.end()
      return this.#taken.length > 0
    }
    this.#line[this.#filled] = byte
    this.#filled += 1
    if (this.#filled < LINE_BYTES_MAX) return false
    this.#cut(this.#line)
    this.#filled = 0
    return true
  }

  takeLines(): AchLine[] {
    const lines = this.#taken
    this.#taken = []
    return lines
  }

  end(): void {
    if (this.#filled === 0) return
    const line = this.#line.subarray(0, measureWithoutPadding(this.#line.subarray(0, this.#filled)))
    this.#filled = 0
    const text = line.length > RECORD_CHARACTERS && isUtf8(line) ? line.toString('utf8') : ''
    if (text.length === RECORD_CHARACTERS) this.#take(text)
    else this.#cut(line)
  }

  #cut(line: Buffer): void {
    const isMarked = this.#isFirst && BYTE_ORDER_MARK.every((byte, at) => line[at] === byte)
    const start = isMarked ? BYTE_ORDER_MARK.length : 0
    for (let at = start; at < line.length; at += RECORD_CHARACTERS)
      this.#take(decodeWindows1252(line.subarray(at, at + RECORD_CHARACTERS)))
  }

  #take(text: string): void {
    if (text.trim() === '') return
    this.#isFirst = false
    this.#number += 1
    const line = replaceControls(text).padEnd(RECORD_CHARACTERS)
    this.#taken.push({ number: this.#number, text: line })
  }
}

function measureWithoutPadding(line: Uint8Array): number {
  let length = line.length
  while (length > 0 && isPadding(line[length - 1])) length -= 1
  return length
}

function isPadding(byte: number | undefined): boolean {
  return byte === SPACE || byte === ZERO || byte === END_MARK
}
