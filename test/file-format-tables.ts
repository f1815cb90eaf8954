import { TYPE_CODES } from '../server/src/outside/bank-files/formats/bai2-type-codes.ts'
import { FILE_FORMATS, type FileFormat } from '../server/src/outside/bank-files/formats/file-formats.ts'
import { SWIFT_TYPES } from '../server/src/outside/bank-files/formats/mt-940-type-codes.ts'
import { formatMarkdownTable } from './markdown-table.ts'

/** The formats of bank files that can be read. */
export function formatFileFormatTable(): string {
  return formatMarkdownTable(
    ['format', 'versions', 'tells', 'account', 'currencies', 'characters', 'limits'],
    Object.values<FileFormat>(FILE_FORMATS).map(
      ({ reads, versions, tells, accounts, currencies, characters, limits }) => [
        ...[reads.join(', '), versions, tells, accounts, currencies, characters, limits],
      ],
    ),
  )
}

/** The BAI2 type codes that say more than credit or debit. */
export function formatTypeCodeTable(): string {
  return formatMarkdownTable(
    ['code', 'meaning', 'words'],
    Object.entries(TYPE_CODES).map(([code, { words, meaning }]) => [code, `\`${meaning}\``, words]),
  )
}

/** The MT940 transaction types that say more than credit or debit. */
export function formatSwiftTypeTable(): string {
  return formatMarkdownTable(
    ['type', 'meaning', 'words'],
    Object.entries(SWIFT_TYPES).map(([type, { words, meaning }]) => [`\`${type}\``, `\`${meaning}\``, words]),
  )
}
