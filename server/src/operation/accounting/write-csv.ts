import { JOURNAL_COLUMNS, type JournalColumn } from '@countersign/contract/books/journal'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import { type Columns, csvHeader, csvRows, type Figure } from '../../base/formats/csv-text.ts'
import { decimalText } from '../../base/formats/decimal.ts'
import type { Posted, Side, Writer } from './writer.ts'

const NAMES = keysOf(JOURNAL_COLUMNS)

/** One side of a transfer. */
interface Row extends Posted {
  readonly side: 'DEBIT' | 'CREDIT'
  readonly of: Side
}

/** Writes the journal as a CSV file with one row for each side of a transfer. */
export function openCsv(): Writer {
  return {
    head: csvHeader(NAMES),
    write: (posted) => csvRows(NAMES, COLUMNS, posted.flatMap(rowsOf)),
    endDay: () => '',
  }
}

function rowsOf(posted: Posted): Row[] {
  return [
    { ...posted, side: 'DEBIT', of: posted.debit },
    { ...posted, side: 'CREDIT', of: posted.credit },
  ]
}

const COLUMNS: Columns<JournalColumn, Row> = {
  at: ({ at }) => at.toISOString(),
  transferId: ({ id }) => id,
  side: ({ side }) => side,
  accountCode: ({ of }) => of.account.code,
  accountName: ({ of }) => of.account.name,
  accountType: ({ of }) => of.account.type,
  kind: ({ of }) => of.account.kind,
  rail: ({ of }) => of.account.rail,
  currency: ({ currency }) => currency,
  units: ({ side, amount }) => (side === 'DEBIT' ? amount : -amount),
  debit: (row) => (row.side === 'DEBIT' ? toFigure(row) : undefined),
  credit: (row) => (row.side === 'CREDIT' ? toFigure(row) : undefined),
  ledgerAccountId: ({ of }) => of.accountId,
  causeType: ({ cause }) => cause,
  cause: ({ causeId }) => causeId,
}

function toFigure({ amount, currency }: Posted): Figure {
  return { figure: decimalText(amount, CURRENCIES[currency].decimals) }
}
