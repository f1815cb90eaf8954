import type { ChartEntry, JournalDateFormat } from '@countersign/contract/books/chart-of-accounts'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { ClientMoneyReason } from '@countersign/contract/operation/client-money'
import type { Static } from 'typebox'
import type { Stamped } from './stamped.ts'

/** The operator's chart of accounts. */
export interface ChartOfAccountsRow extends Stamped {
  /** The id of the platform. */
  id: string
  platform_id: string
  accounts: Static<typeof ChartEntry>[]
  date_format: JournalDateFormat | null
  tax_rate: string | null
  version: number
}

/** A rail as stored in a report. Amounts are strings of digits. */
export interface StoredRail {
  readonly rail: string
  readonly ledgerBalance: string
  readonly held: string
  readonly statement?: {
    readonly date: string
    readonly closingBalance: string
    readonly difference: string
  }
}

/** A currency as stored in a report. Amounts are strings of digits. */
export interface StoredClientMoney {
  readonly currency: KnownCurrency
  readonly owed: string
  readonly onHold: string
  readonly held: string
  readonly difference: string
  readonly reasons: readonly {
    readonly reason: ClientMoneyReason
    readonly amount: string
    readonly rail?: string
  }[]
  readonly rails: readonly StoredRail[]
}

/** A signed report about customers' money at the end of a day. */
export interface ClientMoneyReportRow {
  id: string
  platform_id: string
  /** `YYYY-MM-DD` in UTC. */
  date: string
  currencies: StoredClientMoney[]
  payload: string
  /** DER-encoded. */
  signature: Uint8Array
  created_at: Date
}
