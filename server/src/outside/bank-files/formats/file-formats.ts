import { keysOf } from '@countersign/contract/core/objects'
import { type AchRecord, readAch, startsLikeAch } from './ach-reader.ts'
import { startsLikeBai2 } from './bai2-lines.ts'
import { readBai2 } from './bai2-reader.ts'
import { startsLikeXml } from './decode-text.ts'
import { type IsoRecord, readIsoMessages } from './iso-messages.ts'
import { startsLikeMt940 } from './mt-940-fields.ts'
import { readMt940 } from './mt-940-reader.ts'

/** A record from a bank's file. */
export type FileRecord = IsoRecord | { readonly of: 'ACH'; readonly record: AchRecord }

/** A format of inbox files: its description for operators, how to recognize it, and its reader. */
export interface FileFormat {
  /** The messages or files that it covers, as named in error messages and documents. */
  readonly reads: readonly string[]
  readonly versions: string
  readonly tells: string
  /** The account number in this format, and the currencies that an account may have. */
  readonly accounts: string
  readonly currencies: string
  readonly characters: string
  readonly limits: string
  /** True if a file begins like this format. No two formats begin the same way. */
  startsLike(head: Uint8Array): boolean
  /**
   * Reads the records of a file in constant memory. Every read returns the same records. Throws
   * UnreadableFile; use it with `readTwice`.
   */
  read(bytes: AsyncIterable<Uint8Array>): AsyncIterable<FileRecord>
}

/** All supported formats. To add one, add an entry here, a reader and its tests. */
export const FILE_FORMATS = {
  XML: {
    reads: ['camt.052', 'camt.053', 'camt.054', 'pain.002', 'Bacs reports'],
    versions:
      'camt .02 to .13, pain.002 .03 to .14, German and Austrian variants; ARUCS, ARUDD, AUDDIS and ADDACS in `BACSDocument`',
    tells: 'statements, advices, intraday reports, the status of payments and of mandates',
    accounts: 'IBAN, or the number in `Othr`; sort code and account number',
    currencies: 'all of ISO 4217',
    characters: 'as declared: UTF-8, UTF-16, single-byte encodings',
    limits: 'a million characters or 20,000 elements in a record, 64 levels',
    startsLike: startsLikeXml,
    read: readIsoMessages,
  },
  ACH: {
    reads: ['NACHA'],
    versions: 'all entry classes',
    tells: 'entries, returns, notifications of change',
    accounts: 'account number',
    currencies: 'USD',
    characters: 'UTF-8, else windows-1252',
    limits: '9,999 addenda in an entry',
    startsLike: startsLikeAch,
    read: readAchFile,
  },
  BAI2: {
    reads: ['BAI2'],
    versions: '2',
    tells: 'statements: balances and transactions of a day',
    accounts: 'account number',
    currencies: 'all of ISO 4217; USD if none is stated',
    characters: 'UTF-8, else windows-1252',
    limits: '32,768 characters in a line, 1,000 continuations of a record',
    startsLike: startsLikeBai2,
    read: readBai2File,
  },
  MT940: {
    reads: ['MT940', 'MT942'],
    versions: 'in SWIFT blocks, below header lines, or bare; with German, Polish and Dutch forms of field 86',
    tells: 'statements, intraday reports',
    accounts: 'IBAN, national number, or bank code and number',
    currencies: 'all of ISO 4217',
    characters: 'UTF-8, else windows-1252',
    limits: '4,096 characters in a line, 200 lines in a field',
    startsLike: startsLikeMt940,
    read: readMt940File,
  },
} as const satisfies Record<string, FileFormat>

export type FormatName = keyof typeof FILE_FORMATS

export const NO_KNOWN_FORMAT = `has an unknown format; supported formats are ${listNames(Object.values(FILE_FORMATS))}`

function listNames(formats: readonly FileFormat[]): string {
  return formats.flatMap(({ reads }) => reads).join(', ')
}

/** Recognizes a file's format by its first bytes. Undefined for an unknown format. */
export function detectFormat(head: Uint8Array): FormatName | undefined {
  return keysOf(FILE_FORMATS).find((name) => FILE_FORMATS[name].startsLike(head))
}

async function* readAchFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  for await (const record of readAch(bytes)) yield { of: 'ACH', record }
}

async function* readBai2File(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  for await (const record of readBai2(bytes)) yield { of: 'ACCOUNT', format: 'BAI2', record }
}

async function* readMt940File(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  for await (const record of readMt940(bytes)) yield { of: 'ACCOUNT', format: 'MT940', record }
}
