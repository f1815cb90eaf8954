import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { formatTable } from '../terminal/table.ts'

/** A rail's reconciliation for one day and currency. Amounts are strings of digits. */
export interface ReconciledDay {
  readonly rail: string
  readonly date: string
  readonly currency: string
  readonly status: string
  readonly closingBalance: string | null
  readonly ledgerBalance: string | null
  readonly difference: string | null
  readonly differenceCount: number
  readonly differences: readonly {
    readonly reason: string
    readonly amount: string
    readonly ageDays: number
    readonly about?: string
  }[]
}

/** Formats a table with one line per day, followed by the differences. */
export function formatReconciledDays(data: readonly ReconciledDay[]): string {
  const head = ['RAIL', 'DATE', 'STATUS', 'STATEMENT', 'LEDGER', 'DIFFERENCE']
  const rows = data.map((day) => [
    ...[day.rail, day.date, day.status],
    ...[day.closingBalance, day.ledgerBalance, day.difference].map((amount) =>
      formatAmountDigits(day.currency, amount),
    ),
  ])
  const table = formatTable(rows.length > 0 ? [head, ...rows] : [], 'No rail has moved money yet.')
  return [table, ...data.filter(({ differenceCount }) => differenceCount > 0).map(formatDifferences)].join(
    '\n',
  )
}

/** Formats the differences of one day, one per line. */
function formatDifferences({ rail, date, currency, differences, differenceCount }: ReconciledDay): string {
  const rows = differences.map(({ reason, amount, ageDays, about: subject = '' }) => [
    ...['', reason, formatAmountDigits(currency, amount)],
    ...[`${ageDays} ${ageDays === 1 ? 'day' : 'days'}`, subject],
  ])
  const more = differenceCount - differences.length
  return [
    `${rail} ${date} ${currency}\n`,
    formatTable(rows, ''),
    ...(more > 0 ? [`  and ${more} more: GET /reconciliations/{reconciliationId}\n`] : []),
  ].join('')
}

export function formatAmountDigits(currency: string, digits: string | null): string {
  return digits === null ? '-' : formatAmount(BigInt(digits), findCurrency(currency))
}
