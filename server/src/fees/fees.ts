import { CURRENCIES } from '@countersign/contract/core/currencies'
import { uuidOf } from '../db/engine/ids.ts'
import type { LedgerEntryRow } from '../db/schema/ledger-tables.ts'
import { findSystemAccounts } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'
import type { Order } from '../op/paging.ts'
import { money } from '../transactions/transactions.ts'
import { selectQuoteOfTransfer } from './store.ts'

/** An entry of a fees account. A transfer has at most one. */
export type FeeRow = LedgerEntryRow & { readonly id: string }

export const BY_TRANSFER: Order<FeeRow> = {
  columns: ['created_at', 'transfer_id'],
  of: ({ created_at, transfer_id }) => [String(created_at.getTime()), transfer_id],
  read: (time, id) => [new Date(Number(time)), uuidOf(id)],
}

/** The fees accounts of a platform: one for each currency in which a fee was ever charged, or only that of `currency`. */
export async function findFeeAccounts(op: Op, currency: string | undefined) {
  const codes = currency === undefined ? Object.keys(CURRENCIES) : [currency]
  return findSystemAccounts(op, 'fees', codes)
}

/** A fee as the API shows it. Only quotes charge fees. */
export async function feeView(op: Op, { id, amount, currency, created_at }: FeeRow) {
  const quote = await selectQuoteOfTransfer(op, id)
  if (!quote) throw new Error(`The fee ${id} belongs to no quote`)
  return {
    id,
    amount: money(amount, currency),
    quoteId: quote.quote_id,
    transactionId: quote.transaction_id,
    customerId: quote.customer_id ?? op.platform.id,
    createdAt: created_at.toISOString(),
  }
}
