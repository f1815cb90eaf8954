import { STATEMENT_COLUMNS, type StatementColumn } from '@countersign/contract/books/statements'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import { type Columns, type Figure, formatCsvHeader, formatCsvRows } from '../../base/formats/csv-text.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { describeParty } from './parties.ts'
import type { Line, Statement } from './statements.ts'

const NAMES = keysOf(STATEMENT_COLUMNS)

/**
 * A row of the file. The amounts of all movements add up to the closing balance minus the opening balance.
 */
interface Row extends Partial<Pick<Line, 'kind' | 'transferId' | 'cause' | 'origin' | 'amount' | 'balance'>> {
  readonly line: 'OPENING' | 'MOVEMENT' | 'CLOSING' | 'HOLD'
  readonly at: Date
  readonly held?: bigint
}

const ROWS_AT_ONCE = 500

/** Writes a statement as a CSV file. */
export function* writeStatementCsv(statement: Statement): Generator<string> {
  const columns = buildColumns(statement)
  yield formatCsvHeader(NAMES)
  const rows = toRows(statement)
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield formatCsvRows(NAMES, columns, rows.slice(at, at + ROWS_AT_ONCE))
}

function toRows({ from, to, opening, closing, held, lines, holds }: Statement): readonly Row[] {
  return [
    { line: 'OPENING', at: from, balance: opening },
    ...lines.map((line): Row => ({ line: 'MOVEMENT', ...line })),
    { line: 'CLOSING', at: to, balance: closing, held },
    ...holds.map(({ since, amount, ...hold }): Row => ({ line: 'HOLD', at: since, held: amount, ...hold })),
  ]
}

function buildColumns({ account: { currency } }: Statement): Columns<StatementColumn, Row> {
  const decimals = (amount: bigint | undefined): Figure | undefined =>
    amount === undefined ? undefined : { figure: formatDecimal(amount, CURRENCIES[currency].decimals) }
  return {
    at: ({ at }) => at.toISOString(),
    line: ({ line }) => line,
    kind: ({ kind }) => kind,
    currency: () => currency,
    units: ({ amount }) => amount,
    amount: ({ amount }) => decimals(amount),
    balanceUnits: ({ balance }) => balance,
    balance: ({ balance }) => decimals(balance),
    heldUnits: ({ held }) => held,
    held: ({ held }) => decimals(held),
    counterparty: ({ origin }) => origin && describeParty(origin.counterparty),
    reference: ({ origin }) => origin?.reference,
    description: ({ origin }) => origin?.description,
    transactionId: ({ origin }) => origin?.transactionId,
    cause: ({ cause }) => cause?.id,
    transferId: ({ transferId }) => transferId,
  }
}
