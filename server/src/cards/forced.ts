import { findInternalAccount } from '../accounts/accounts.ts'
import { insert } from '../db/commit/writes.ts'
import type { CardRow } from '../db/schema/card-tables.ts'
import type { Op } from '../op/app.ts'
import type { ClearingEvent } from '../ports/card-processor.ts'
import { newPurchase } from './authorize.ts'
import { clear, type MovedPurchase } from './transactions.ts'

/** A claim that says where it is from, of what nobody has asked for before. */
export type ForcedClearing = ClearingEvent & Required<Pick<ClearingEvent, 'merchant'>>

/**
 * A merchant claims what was never authorized. The network is paid; nothing was allowed to be taken, so nothing is, and the
 * purchase is an `EXCEPTION` from the start. Guard: no other purchase has this token.
 */
export async function clearForced(op: Op, card: CardRow, event: ForcedClearing): Promise<MovedPurchase> {
  const account = await findInternalAccount(op, card.funding_sources[0]!)
  const use = { merchant: event.merchant, token: event.token }
  const purchase = newPurchase(op, card, account, use, op.newId('CardTransaction'))
  const { row, writes } = await clear(op, purchase, event.amount, { at: op.now, fails: false })
  return { row, writes: [insert('card_transactions', purchase), ...writes] }
}
