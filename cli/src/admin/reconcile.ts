import { currencyOf, formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { tableOf } from '../terminal/table.ts'
import { ask, askServer } from './ask-server.ts'

/** A day of a rail in one currency; amounts are strings of digits. */
interface Reconciled {
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

/** `countersign reconcile`: returns the exit code, 1 if there are differences. */
export async function reconcile(options: {
  rail?: string
  date?: string
  book?: string
  as?: string
  json?: boolean
}): Promise<number> {
  if (options.book !== undefined || options.as !== undefined) return book(options)
  const args = [
    ...['reconciliation', 'run'],
    ...(options.rail === undefined ? [] : ['--rail', options.rail]),
    ...(options.date === undefined ? [] : ['--date', options.date]),
  ]
  const { exitCode, output } = await askServer(args, options.json ?? false)
  if (exitCode !== 0) return exitCode
  const { data }: { readonly data: readonly Reconciled[] } = JSON.parse(output)
  io().stdout.write(options.json ? output : describeDays(data))
  return data.some(({ differenceCount }) => differenceCount > 0) ? 1 : 0
}

interface Booked {
  readonly booked: string
  readonly as: string
  readonly rail: string
  readonly currency: string
  readonly amount: string
}

function book(options: { book?: string; as?: string; json?: boolean }): Promise<number> {
  if (options.book === undefined || options.as === undefined)
    throw new Failure('--book and --as go together: --book StatementEntry:… --as fx')
  const args = ['reconciliation', 'book', '--entry', options.book, '--as', options.as]
  return ask(
    args,
    options.json ?? false,
    ({ booked, as, rail, currency, amount }: Booked) =>
      `${booked} is booked: ${amountIn(currency, amount)} of ${rail} to ${as}.\n`,
  )
}

export function describeDays(data: readonly Reconciled[]): string {
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

function amountIn(currency: string, digits: string | null): string {
  return digits === null ? '-' : formatAmount(BigInt(digits), currencyOf(currency))
}
