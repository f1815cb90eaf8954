import { JOURNAL_COLUMNS, type JournalColumn } from '@countersign/contract/books/journal'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import { type Columns, type Figure, formatCsvHeader, formatCsvRows } from '../../base/formats/csv-text.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import type { Posted, Side, Writer } from './writer.ts'

const NAMES = keysOf(JOURNAL_COLUMNS)

/** One side of a transfer. */
interface Row extends Posted {
  readonly side: 'DEBIT' | 'CREDIT'
  readonly leg: Side
}

/** Writes the journal as a CSV file with one row for each side of a transfer. */
export function openCsv(): Writer {
  return {
    head: formatCsvHeader(NAMES),
    write: (posted) => formatCsvRows(NAMES, COLUMNS, posted.flatMap(toRows)),
    endDay: () => '',
  }
}

function toRows(posted: Posted): Row[] {
  return [
    { ...posted, side: 'DEBIT', leg: posted.debit },
    { ...posted, side: 'CREDIT', leg: posted.credit },
  ]
}

const COLUMNS: Columns<JournalColumn, Row> = {
  at: ({ at }) => at.toISOString(),
  transferId: ({ id }) => id,
  side: ({ side }) => side,
  accountCode: ({ leg }) => leg.account.code,
  accountName: ({ leg }) => leg.account.name,
  accountType: ({ leg }) => leg.account.type,
  kind: ({ leg }) => leg.account.kind,
  rail: ({ leg }) => leg.account.rail,
  currency: ({ currency }) => currency,
  units: ({ side, amount }) => (side === 'DEBIT' ? amount : -amount),
  debit: (row) => (row.side === 'DEBIT' ? toFigure(row) : undefined),
  credit: (row) => (row.side === 'CREDIT' ? toFigure(row) : undefined),
  ledgerAccountId: ({ leg }) => leg.accountId,
  causeType: ({ cause }) => cause,
  cause: ({ causeId }) => causeId,
}

function toFigure({ amount, currency }: Posted): Figure {
  return { figure: formatDecimal(amount, CURRENCIES[currency].decimals) }
}
