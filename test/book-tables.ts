import { JOURNAL_COLUMNS, JOURNAL_FORMATS } from '@countersign/contract/books/journal'
import { STATEMENT_COLUMNS, STATEMENT_FORMATS } from '@countersign/contract/books/statements'
import { CLIENT_MONEY_REASONS } from '@countersign/contract/operation/client-money'
import { TRANSACTION_COLUMNS } from '@countersign/contract/payments/transaction-columns'
import { formatMarkdownTable } from './markdown-table.ts'

function formatColumnTable(columns: Readonly<Record<string, string>>): string {
  return formatMarkdownTable(
    ['column', ''],
    Object.entries(columns).map(([name, description]) => [`\`${name}\``, description]),
  )
}

function formatWordTable(name: string, meaning: string, words: Readonly<Record<string, string>>): string {
  return formatMarkdownTable(
    [name, meaning],
    Object.entries(words).map(([word, description]) => [`\`${word}\``, description]),
  )
}

export function formatJournalColumnTable(): string {
  return formatColumnTable(JOURNAL_COLUMNS)
}

export function formatJournalFormatTable(): string {
  return formatWordTable('`format`', 'for', JOURNAL_FORMATS)
}

export function formatStatementFormatTable(): string {
  return formatWordTable('`format`', 'for', STATEMENT_FORMATS)
}

export function formatClientMoneyReasonTable(): string {
  return formatWordTable('reason', 'meaning', CLIENT_MONEY_REASONS)
}

export function formatStatementColumnTable(): string {
  return formatColumnTable(STATEMENT_COLUMNS)
}

export function formatTransactionColumnTable(): string {
  return formatColumnTable(TRANSACTION_COLUMNS)
}
