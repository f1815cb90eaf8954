import type { KnownCurrency } from '@countersign/contract/core/currencies'
import {
  INCOMING_TRANSACTION_INITIAL,
  INCOMING_TRANSACTION_TRANSITIONS,
} from '@countersign/contract/core/states'
import { insert, type Write } from '../db/commit/writes.ts'
import type { InternalAccountRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { announce } from '../transactions/moves.ts'
import { newTransaction } from '../transactions/transactions.ts'
import { selectPlatformCustomerId } from './store.ts'

/** What was paid to an account here by another account here. */
export interface InternalPayment {
  /** The account that paid, and what it paid in; null where the money was paid in for the payment. */
  readonly source: { readonly accountId: string; readonly currency: KnownCurrency } | null
  /** The UMA address of the account's owner, where it was paid to that. */
  readonly umaAddress: string | null
  /** Smallest unit of the account's currency. */
  readonly amount: bigint
  readonly description: string | null
}

/**
 * The record that the owner of an account has of a payment by another account here: completed at once, and nobody is
 * asked. Its money is moved by the payment itself.
 */
export async function internalReceipt(
  op: Op,
  account: InternalAccountRow,
  { source, umaAddress, amount, description }: InternalPayment,
): Promise<Write[]> {
  const { customer_id } = account
  // An owner who was deleted meanwhile keeps the account, and the money arrives all the same.
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
