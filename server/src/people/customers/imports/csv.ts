import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { SealedFileError } from '../../../base/crypto/file-seal.ts'
import { errorOf } from '../../../base/formats/thrown-errors.ts'
import { Utf8Check } from '../../../base/formats/utf8.ts'

/** Reads CSV files of any size, holding one row in memory at a time. */

/** The maximum length of a row in bytes: at least twice the length of a customer's request body. */
const ROW_BYTES_MAX = 64 * 1024

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22

/** One row of the file. Cells are plain text, even if they look like formulas. */
export interface CsvRow {
  readonly cells: readonly string[]
  /** The file offset at which the next row begins. */
  readonly nextByte: number
}

/** The file cannot be read beyond this row. Rows are counted from 1, without empty lines. */
export class CsvFault extends Error {
  readonly row: number

  constructor(row: number, message: string) {
    super(message)
    this.row = row
  }
}

/** Messages for the error codes of csv-parse. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A cell begins with a quote and does not end with one',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows the quote that ends a cell; write a quote within a cell twice',
  INVALID_OPENING_QUOTE:
    'A cell that does not begin with a quote has one; put it in quotes, and write each within it twice',
}

/**
 * Yields the rows of a file. `bytes` is the file from `fromByte`, which is where a row begins; lines end with
 * LF, CR LF or CR; empty lines are skipped. Throws CsvFault and errors of the stream; the stream is always
 * closed.
 */
export async function* readRows(bytes: Readable, fromByte: number): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: fromByte === 0,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The caller checks the number of cells per row.
    relax_column_count: true,
    skip_empty_lines: true,
  })
  // If one part fails or the consumer stops early, all parts end. The parser rethrows the error.
  const ended = pipeline(bytes, checkText(), parser).catch(() => {})
  try {
    const parsed: AsyncIterable<Parsed> = parser
    for await (const { record, info } of parsed) yield { cells: record, nextByte: fromByte + info.bytes }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error) : error
  } finally {
    parser.destroy()
    await ended
  }
}

interface Parsed {
  readonly record: string[]
  readonly info: { readonly bytes: number }
}

function faultOf(error: CsvError): CsvFault {
  return new CsvFault(Number(error.records) + 1, FAULTS[error.code] ?? 'The row is not valid CSV')
}

/** True for faults of the file itself, with which every retry would fail. */
export function isFaultOfFile(error: unknown): error is CsvFault | SealedFileError {
  return error instanceof CsvFault || error instanceof SealedFileError
}

/**
 * Passes bytes through, and fails on a row that is too long, on invalid UTF-8 and on U+0000. Line ends inside
 * quotes do not end a row.
 */
function checkText(): Transform {
  const utf8 = new Utf8Check()
  let row = 1
  let rowBytes = 0
  let isQuoted = false
  const notUtf8 = () => new CsvFault(row, 'The file is not UTF-8')
  const check = (chunk: Uint8Array): void => {
    for (const byte of chunk) {
      if (!utf8.takes(byte)) throw notUtf8()
      if (byte === 0) throw new CsvFault(row, 'The file contains U+0000; it must be UTF-8')
      if (byte === QUOTE) isQuoted = !isQuoted
      if (!isQuoted && (byte === LF || byte === CR)) {
        if (rowBytes > 0) row += 1
        rowBytes = 0
      } else if (++rowBytes > ROW_BYTES_MAX)
        throw new CsvFault(row, `The row is longer than ${ROW_BYTES_MAX} bytes`)
    }
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        check(chunk)
        done(null, chunk)
      } catch (error) {
        done(errorOf(error))
      }
    },
    flush(done) {
      done(utf8.isWhole ? null : notUtf8())
    },
  })
}
