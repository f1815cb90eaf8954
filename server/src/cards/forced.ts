import { findInternalAccount } from '../accounts/accounts.ts'
import { insert } from '../db/commit/writes.ts'
import type { CardRow } from '../db/schema/card-tables.ts'
import type { Op } from '../op/app.ts'
import type { ClearingEvent } from '../ports/card-processor.ts'
import { newPurchase } from './authorize.ts'
import { clear, type MovedPurchase } from './transactions.ts'

/** A claim with its merchant, for a purchase that was never authorized. */
export type ForcedClearing = ClearingEvent & Required<Pick<ClearingEvent, 'merchant'>>

/**
 * Records a claim that was never authorized. The network is paid, nothing is pulled from a funding source, and the
 * purchase is an `EXCEPTION` from the start. Guard: no other purchase has this token.
 */
export async function clearForced(op: Op, card: CardRow, event: ForcedClearing): Promise<MovedPurchase> {
  const account = await findInternalAccount(op, card.funding_sources[0]!)
  const use = { merchant: event.merchant, token: event.token }
  const purchase = newPurchase(op, card, account, use, op.newId('CardTransaction'))
  const { row, writes } = await clear(op, purchase, event.amount, { at: op.now, fails: false })
  return { row, writes: [insert('card_transactions', purchase), ...writes] }
}
