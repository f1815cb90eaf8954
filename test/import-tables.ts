import { IMPORT_COLUMNS, REQUIRED_COLUMNS } from '@countersign/contract/customers/import-columns'
import { formatMarkdownTable } from './markdown-table.ts'

const REQUIRED: ReadonlySet<string> = new Set(REQUIRED_COLUMNS)

/** The columns of a customer import file, with the customer types that have them. */
export function formatImportColumnTable(): string {
  return formatMarkdownTable(
    ['column', 'of', ''],
    [...IMPORT_COLUMNS].map(([name, { isList, customerTypes }]) => [
      `\`${name}\``,
      customerTypes.length > 1 ? 'both' : customerTypes.join(),
      [REQUIRED.has(name) ? 'required' : '', isList ? 'list' : ''].filter(Boolean).join(', '),
    ]),
  )
}
