import { JOURNAL_COLUMNS, JOURNAL_FORMATS } from '@countersign/contract/books/journal'
import { STATEMENT_COLUMNS, STATEMENT_FORMATS } from '@countersign/contract/books/statements'
import { CLIENT_MONEY_REASONS } from '@countersign/contract/operation/client-money'
import { TRANSACTION_COLUMNS } from '@countersign/contract/payments/transaction-columns'
import { markdownTable } from './markdown-table.ts'

function columnTable(columns: Readonly<Record<string, string>>): string {
  return markdownTable(
    ['column', ''],
    Object.entries(columns).map(([name, description]) => [`\`${name}\``, description]),
  )
}

function wordTable(name: string, meaning: string, words: Readonly<Record<string, string>>): string {
  return markdownTable(
    [name, meaning],
    Object.entries(words).map(([word, description]) => [`\`${word}\``, description]),
  )
}

export function journalColumnTable(): string {
  return columnTable(JOURNAL_COLUMNS)
}

export function journalFormatTable(): string {
  return wordTable('`format`', 'for', JOURNAL_FORMATS)
}

export function statementFormatTable(): string {
  return wordTable('`format`', 'for', STATEMENT_FORMATS)
}

export function clientMoneyReasonTable(): string {
  return wordTable('reason', 'meaning', CLIENT_MONEY_REASONS)
}

export function statementColumnTable(): string {
  return columnTable(STATEMENT_COLUMNS)
}

export function transactionColumnTable(): string {
  return columnTable(TRANSACTION_COLUMNS)
}
