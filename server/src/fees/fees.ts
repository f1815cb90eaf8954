import { CURRENCIES } from '@countersign/contract/currencies'
import type { Op } from '../app.ts'
import type { LedgerEntryRow } from '../db/schema/tables.ts'
import { findSystemAccounts } from '../ledger/ledger.ts'
import type { Order } from '../paging.ts'
import { money } from '../transactions/transactions.ts'
import { selectQuoteOfTransfer } from './store.ts'

/** An entry of an account of fees. A transfer has one of them at most. */
export type FeeRow = LedgerEntryRow & { readonly id: string }

export const BY_TRANSFER: Order<FeeRow> = {
  columns: ['created_at', 'transfer_id'],
  of: ({ created_at, transfer_id }) => [String(created_at.getTime()), transfer_id],
  read: (time, id) => [new Date(Number(time)), id],
}

/** Where the fees of a platform are: an account for each currency in which one was ever charged, or for this one. */
export async function findFeeAccounts(op: Op, currency: string | undefined) {
  const codes = currency === undefined ? Object.keys(CURRENCIES) : [currency]
  return findSystemAccounts(op, 'fees', codes)
}

/** A fee as the API shows it. Quotes alone charge fees. */
export async function feeView(op: Op, { id, amount, currency, created_at }: FeeRow) {
  const quote = await selectQuoteOfTransfer(op, id)
  if (!quote) throw new Error(`${id} is not of a quote`)
  return {
    id,
    amount: money(amount, currency),
    quoteId: quote.quote_id,
    transactionId: quote.transaction_id,
    customerId: quote.customer_id ?? op.platform.id,
    createdAt: created_at.toISOString(),
  }
}
