import type { KnownCurrency } from '@countersign/contract/core/currencies'
import {
  INCOMING_TRANSACTION_INITIAL,
  INCOMING_TRANSACTION_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import type { Op } from '../../kernel/operation/app.ts'
import { announce } from '../../kernel/transactions/moves.ts'
import { newTransaction } from '../../kernel/transactions/transactions.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { selectPlatformCustomerId } from './store.ts'

/** A payment from one internal account to another. */
export interface InternalPayment {
  /** The paying account and its currency; null if the money was paid in for this payment. */
  readonly source: { readonly accountId: string; readonly currency: KnownCurrency } | null
  /** The owner's UMA address if the payment was sent to it. */
  readonly umaAddress: string | null
  /** In the smallest unit of the receiving account's currency. */
  readonly amount: bigint
  readonly description: string | null
}

/**
 * Records a payment between internal accounts for the receiver. The record is completed immediately, without
 * the platform's decision. The payment itself moves the money.
 */
export async function recordInternalPayment(
  op: Op,
  account: InternalAccountRow,
  { source, umaAddress, amount, description }: InternalPayment,
): Promise<Write[]> {
  const { customer_id } = account
  // Accounts of deleted owners still exist and receive money.
  const platform_customer_id = customer_id === null ? null : await selectPlatformCustomerId(op, customer_id)
  const receipt = newTransaction(op, {
    kind: 'RECEIPT',
    type: 'INCOMING',
    direction: 'CREDIT',
    state: INCOMING_TRANSACTION_TRANSITIONS[INCOMING_TRANSACTION_INITIAL].settle,
    customer_id,
    source_account_id: source?.accountId ?? null,
    destination_account_id: account.id,
    destination_identifier: umaAddress,
    sent_amount: null,
    sent_currency: source?.currency ?? null,
    received_amount: amount,
    received_currency: account.currency,
    fees: 0n,
    description,
    settled_at: op.now,
  })
  return [insert('transactions', receipt), ...announce(op, { ...receipt, platform_customer_id })]
}
