import { requireValue } from '../../base/formats/require-value.ts'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { ClearingEvent } from '../../kernel/ports/card-processor.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { newPurchase } from './authorize.ts'
import { clear, type PurchaseChange } from './card-transactions.ts'

/** A claim for a purchase that was never authorized. Only these claims name their merchant. */
export type ForcedClearing = ClearingEvent & Required<Pick<ClearingEvent, 'merchant'>>

/**
 * Records a claim without an authorization. The network is paid, nothing is pulled from a funding source, and
 * the purchase starts as an `EXCEPTION`. Guard: no other purchase has this token.
 */
export async function clearForced(op: Op, card: CardRow, event: ForcedClearing): Promise<PurchaseChange> {
  const account = await findInternalAccount(
    op,
    requireValue(card.funding_sources[0], 'funding source of the card'),
  )
  const use = { merchant: event.merchant, token: event.token }
  const purchase = newPurchase(op, card, account, use, op.newId('CardTransaction'))
  const { row, writes } = await clear(op, purchase, event.amount, { at: op.now, fails: false })
  return { row, writes: [insert('card_transactions', purchase), ...writes] }
}
