import { STATEMENT_COLUMNS } from '@countersign/contract/books/statements'
import { TRANSACTION_COLUMNS } from '@countersign/contract/payments/transaction-columns'
import { markdownTable } from './markdown-table.ts'

function columnTable(columns: Readonly<Record<string, string>>): string {
  return markdownTable(
    ['column', ''],
    Object.entries(columns).map(([name, has]) => [`\`${name}\``, has]),
  )
}

export function statementColumnTable(): string {
  return columnTable(STATEMENT_COLUMNS)
}

export function transactionColumnTable(): string {
  return columnTable(TRANSACTION_COLUMNS)
}
