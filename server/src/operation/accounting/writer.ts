import type { JournalDateFormat } from '@countersign/contract/books/chart-of-accounts'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { ChartAccount } from './chart.ts'

/** A side of a posted transfer, with its account in the chart. */
export interface Side {
  readonly accountId: string
  readonly account: ChartAccount
}

/** A posted transfer, as in the journal. */
export interface Posted {
  readonly id: string
  readonly at: Date
  readonly debit: Side
  readonly credit: Side
  /** Above 0, in the smallest unit. */
  readonly amount: bigint
  readonly currency: KnownCurrency
  readonly cause: string
  readonly causeId: string
}

/** Settings for accounting files. */
export interface WriterSettings {
  readonly dateFormat: JournalDateFormat
  readonly taxRate: string
}

/** Writes one file, day by day. */
export interface Writer {
  /** The beginning of the file. */
  readonly head: string
  /** The next transfers, all of one day. */
  write(posted: readonly Posted[]): string
  /** Ends a day, given any moment of it. */
  endDay(day: Date): string
}
