import type { JournalFormat } from '@countersign/contract/books/journal'
import { openCsv } from './write-csv.ts'
import { openQuickBooks, openXero } from './write-daily.ts'
import { openBeancount, openHledger } from './write-plain.ts'
import type { Writer, WriterSettings } from './writer.ts'

interface JournalWriter {
  readonly type: 'csv' | 'plain'
  /** The file name extension. */
  readonly extension: string
  /** True if the program can import only accounts that are in the chart. */
  readonly needsChart: boolean
  /** True if a file can have only one currency. */
  readonly needsCurrency: boolean
  readonly open: (settings: WriterSettings) => Writer
}

/** The writer for each journal format. A new format is one entry here and one in the contract. */
export const JOURNAL_WRITERS: Readonly<Record<JournalFormat, JournalWriter>> = {
  csv: { type: 'csv', extension: 'csv', needsChart: false, needsCurrency: false, open: openCsv },
  hledger: {
    type: 'plain',
    extension: 'journal',
    needsChart: false,
    needsCurrency: false,
    open: openHledger,
  },
  beancount: {
    type: 'plain',
    extension: 'beancount',
    needsChart: false,
    needsCurrency: false,
    open: openBeancount,
  },
  xero: { type: 'csv', extension: 'csv', needsChart: true, needsCurrency: true, open: openXero },
  quickbooks: {
    type: 'csv',
    extension: 'csv',
    needsChart: true,
    needsCurrency: false,
    open: openQuickBooks,
  },
}
