import type { JournalDateFormat } from '@countersign/contract/books/chart-of-accounts'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { ChartAccount } from './chart.ts'

/** One side of a posted transfer, with its account in the chart. */
export interface Side {
  readonly accountId: string
  readonly account: ChartAccount
}

/** A posted transfer as shown in the journal. */
export interface Posted {
  readonly id: string
  readonly at: Date
  readonly debit: Side
  readonly credit: Side
  /** In the smallest unit; always positive. */
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
  /** The text at the start of the file. */
  readonly head: string
  /** Writes the next transfers, all of the same day. */
  write(posted: readonly Posted[]): string
  /** Ends a day. `day` is any time within it. */
  endDay(day: Date): string
}
