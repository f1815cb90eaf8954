import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { SealedFileError } from '../../../base/crypto/file-seal.ts'
import { toError } from '../../../base/formats/thrown-errors.ts'
import { Utf8Check } from '../../../base/formats/utf8.ts'

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

/** A row that cannot be read. Rows are counted from 1, without empty lines. */
export class CsvFault extends Error {
  readonly row: number

  constructor(row: number, message: string) {
    super(message)
    this.row = row
  }
}

/** Messages for the error codes of csv-parse. */
const FAULT_MESSAGES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A cell begins with a quote but does not end with one.',
  CSV_INVALID_CLOSING_QUOTE: 'Text follows the closing quote of a cell. Double every quote within a cell.',
  INVALID_OPENING_QUOTE:
    'A cell that does not begin with a quote contains one. Put the cell in quotes and double every quote within it.',
}

/**
 * Yields the rows of a file of any size, with one row in memory at a time. `bytes` is the file from
 * `fromByte`, the start of a row; lines end with LF, CR LF or CR, and empty lines are skipped. Throws
 * CsvFault and stream errors; always closes the stream.
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
    const parsed: AsyncIterable<ParsedRow> = parser
    for await (const { record, info } of parsed) yield { cells: record, nextByte: fromByte + info.bytes }
  } catch (error) {
    throw error instanceof CsvError ? toCsvFault(error) : error
  } finally {
    parser.destroy()
    await ended
  }
}

interface ParsedRow {
  readonly record: string[]
  readonly info: { readonly bytes: number }
}

function toCsvFault(error: CsvError): CsvFault {
  return new CsvFault(Number(error.records) + 1, FAULT_MESSAGES[error.code] ?? 'The row is not valid CSV.')
}

/** True for faults in the file itself, which would fail every retry. */
export function isFileFault(error: unknown): error is CsvFault | SealedFileError {
  return error instanceof CsvFault || error instanceof SealedFileError
}

/**
 * Passes bytes through, but fails on an overlong row, invalid UTF-8 and U+0000. A line end inside quotes does
 * not end a row.
 */
function checkText(): Transform {
  const utf8 = new Utf8Check()
  let row = 1
  let rowBytes = 0
  let isQuoted = false
  const createEncodingFault = () => new CsvFault(row, 'The file is not UTF-8.')
  const check = (chunk: Uint8Array): void => {
    for (const byte of chunk) {
      if (!utf8.takes(byte)) throw createEncodingFault()
      if (byte === 0) throw new CsvFault(row, 'The file contains U+0000. Save it as UTF-8.')
      if (byte === QUOTE) isQuoted = !isQuoted
      if (!isQuoted && (byte === LF || byte === CR)) {
        if (rowBytes > 0) row += 1
        rowBytes = 0
      } else if (++rowBytes > ROW_BYTES_MAX)
        throw new CsvFault(row, `The row is longer than ${ROW_BYTES_MAX} bytes.`)
    }
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        check(chunk)
        done(null, chunk)
      } catch (error) {
        done(toError(error))
      }
    },
    flush(done) {
      done(utf8.isComplete ? null : createEncodingFault())
    },
  })
}
