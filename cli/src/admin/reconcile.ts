import { currencyOf, formatAmount } from '../terminal/amounts.ts'
import { tableOf } from '../terminal/table.ts'

/** A day of a rail in one currency; amounts are strings of digits. */
export interface Reconciled {
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

/** A table with a line for each day, and the differences below it. */
export function printReconciled(data: readonly Reconciled[]): string {
  const head = ['RAIL', 'DATE', 'STATUS', 'STATEMENT', 'LEDGER', 'DIFFERENCE']
  const rows = data.map((day) => [
    ...[day.rail, day.date, day.status],
    ...[day.closingBalance, day.ledgerBalance, day.difference].map((amount) =>
      amountIn(day.currency, amount),
    ),
  ])
  const table = tableOf(rows.length > 0 ? [head, ...rows] : [], 'No rail has moved money yet.')
  return [table, ...data.filter(({ differenceCount }) => differenceCount > 0).map(listOf)].join('\n')
}

/** The differences of a day, a line each. */
function listOf({ rail, date, currency, differences, differenceCount }: Reconciled): string {
  const rows = differences.map(({ reason, amount, ageDays, about = '' }) => [
    ...['', reason, amountIn(currency, amount)],
    ...[`${ageDays} ${ageDays === 1 ? 'day' : 'days'}`, about],
  ])
  const more = differenceCount - differences.length
  return [
    `${rail} ${date} ${currency}\n`,
    tableOf(rows, ''),
    ...(more > 0 ? [`  and ${more} more: GET /reconciliations/{reconciliationId}\n`] : []),
  ].join('')
}

export function amountIn(currency: string, digits: string | null): string {
  return digits === null ? '-' : formatAmount(BigInt(digits), currencyOf(currency))
}
