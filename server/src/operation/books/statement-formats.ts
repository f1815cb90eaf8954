import type { StatementFormat } from '@countersign/contract/books/statements'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import { createFieldError, type TextBody } from '../../kernel/operation/operation.ts'
import { writeStatementCamt053 } from './statement-camt-053.ts'
import { writeStatementCsv } from './statement-csv.ts'
import { writeStatementMt940 } from './statement-mt-940.ts'
import { writeStatementOfx } from './statement-ofx.ts'
import { PAGE_HEADERS, writeStatementPage } from './statement-page.ts'
import type { Statement } from './statements.ts'

type TextFormat = Exclude<StatementFormat, 'json'>

interface StatementWriter {
  readonly type: 'csv' | 'html' | 'xml' | 'plain' | 'ofx'
  /** The file name extension; undefined for the page. */
  readonly extension?: string
  readonly headers?: Readonly<Record<string, string>>
  /** True if the format supports only ISO 4217 currency codes. */
  readonly isForIsoCurrencies: boolean
  readonly write: (statement: Statement) => Iterable<string>
}

/** The writer of each statement format. A new format needs one entry here and one in the contract. */
const STATEMENT_WRITERS: Readonly<Record<TextFormat, StatementWriter>> = {
  csv: { type: 'csv', extension: 'csv', isForIsoCurrencies: false, write: writeStatementCsv },
  html: { type: 'html', headers: PAGE_HEADERS, isForIsoCurrencies: false, write: writeStatementPage },
  camt053: { type: 'xml', extension: 'xml', isForIsoCurrencies: true, write: writeStatementCamt053 },
  mt940: { type: 'plain', extension: 'sta', isForIsoCurrencies: true, write: writeStatementMt940 },
  ofx: { type: 'ofx', extension: 'ofx', isForIsoCurrencies: true, write: writeStatementOfx },
}

/**
 * Writes a statement to a file or a page. Throws 400 `INVALID_INPUT` if the format does not support the
 * currency.
 */
export function buildStatementText(
  statement: Statement,
  format: TextFormat,
): TextBody<StatementWriter['type']> {
  const { type, extension, headers, isForIsoCurrencies, write } = STATEMENT_WRITERS[format]
  const { from, to, account } = statement
  if (isForIsoCurrencies && CURRENCIES[account.currency].kind !== 'fiat')
    throw createFieldError(
      'INVALID_INPUT',
      'format',
      `${format} does not support ${account.currency}. Use csv, json or html.`,
    )
  return {
    type,
    pieces: write(statement),
    ...(extension === undefined
      ? {}
      : { fileName: `statement-${toUtcDay(from)}-${toUtcDay(to)}.${extension}` }),
    ...(headers === undefined ? {} : { headers }),
  }
}
