import type { JournalDateFormat } from '@countersign/contract/books/chart-of-accounts'
import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import { keysOf } from '@countersign/contract/core/objects'
import { type Columns, type Figure, formatCsvHeader, formatCsvRows } from '../../base/formats/csv-text.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import type { ChartAccount } from './chart.ts'
import type { Posted, Writer, WriterSettings } from './writer.ts'

/** The sum of one account in one currency on a day. Debits are positive. */
interface DaySum {
  readonly account: ChartAccount
  readonly currency: KnownCurrency
  readonly sum: bigint
}

interface DayLine extends DaySum {
  readonly date: string
}

/** Writes Xero manual journals, one per day, whose lines sum to zero. Debits are positive. */
export function openXero({ dateFormat, taxRate }: WriterSettings): Writer {
  return openDaily({
    '*Narration': ({ date, currency }) => `Countersign ${date} ${currency}`,
    '*Date': ({ date }) => formatDate(dateFormat, date),
    Description: ({ account }) => account.name,
    '*AccountCode': ({ account }) => account.code,
    '*TaxRate': () => taxRate,
    '*Amount': (line) => toFigure(line, line.sum),
    TrackingName1: () => undefined,
    TrackingOption1: () => undefined,
    TrackingName2: () => undefined,
    TrackingOption2: () => undefined,
  })
}

/** Writes QuickBooks Online journal entries, one per day and currency. */
export function openQuickBooks({ dateFormat }: WriterSettings): Writer {
  return openDaily({
    '*JournalNo': ({ date, currency }) => `CS-${date.replaceAll('-', '')}-${currency}`,
    '*JournalDate': ({ date }) => formatDate(dateFormat, date),
    '*AccountName': ({ account }) => account.name,
    '*Debits': (line) => (line.sum > 0n ? toFigure(line, line.sum) : undefined),
    '*Credits': (line) => (line.sum < 0n ? toFigure(line, -line.sum) : undefined),
    Description: ({ date }) => `Countersign ${date}`,
    Name: () => undefined,
    Currency: ({ currency }) => currency,
    Location: () => undefined,
    Class: () => undefined,
  })
}

/** Writes a file of daily sums, holding only one day's sums in memory. */
function openDaily<Name extends string>(columns: Columns<Name, DayLine>): Writer {
  const names = keysOf(columns)
  const sums = new Map<string, DaySum>()
  const add = (account: ChartAccount, currency: KnownCurrency, amount: bigint) => {
    const key = `${currency} ${account.code} ${account.name}`
    sums.set(key, { account, currency, sum: (sums.get(key)?.sum ?? 0n) + amount })
  }
  const addPosted = ({ debit, credit, amount, currency }: Posted) => {
    for (const { account } of [debit, credit])
      if (account.code === undefined)
        throw new Error(`an account of kind ${account.kind} was opened while the file was being written`)
    add(debit.account, currency, amount)
    add(credit.account, currency, -amount)
  }
  return {
    head: formatCsvHeader(names),
    write(posted) {
      for (const transfer of posted) addPosted(transfer)
      return ''
    },
    endDay(day) {
      const date = toUtcDay(day)
      const lines = [...sums]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, daySum]): DayLine[] => (daySum.sum === 0n ? [] : [{ ...daySum, date }]))
      sums.clear()
      return formatCsvRows(names, columns, lines)
    },
  }
}

function toFigure({ currency }: DaySum, amount: bigint): Figure {
  return { figure: formatDecimal(amount, CURRENCIES[currency].decimals) }
}

const DATE_FORMATS: Readonly<
  Record<JournalDateFormat, (year: string, month: string, day: string) => string>
> = {
  'YYYY-MM-DD': (year, month, day) => `${year}-${month}-${day}`,
  'DD/MM/YYYY': (year, month, day) => `${day}/${month}/${year}`,
  'MM/DD/YYYY': (year, month, day) => `${month}/${day}/${year}`,
}

function formatDate(format: JournalDateFormat, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return DATE_FORMATS[format](year, month, day)
}
