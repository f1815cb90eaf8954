import { CARD_TRANSITIONS, DELEGATED_KEY_TRANSITIONS } from '@countersign/contract/states/card-states'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CardRow, DelegatedKeyRow } from '../../storage/rows/card.ts'
import { announceCard, changeCard, notifyProcessor } from './cards.ts'
import { selectActiveCardKeys, selectCards } from './store.ts'

/**
 * Closes the cards of a deleted customer, here and at the processor, and revokes the keys delegated to them.
 */
export async function closeCustomerCards(op: Op, customerId: string): Promise<Write[]> {
  const cards = await selectCards(op, { cardholderId: customerId }).execute()
  const writes = await Promise.all(cards.map((card) => closeCard(op, card)))
  return writes.flat()
}

async function closeCard(op: Op, card: CardRow): Promise<Write[]> {
  const revocations = (await selectActiveCardKeys(op, card.id)).map((key) => revokeKey(op, key))
  if (nextState(CARD_TRANSITIONS, card.state, 'delete') === null) return revocations
  const { row, write } = changeCard(op, card, 'delete', { state_reason: 'CLOSED_BY_PLATFORM' })
  return [write, announceCard(op, 'CARD.STATE_CHANGE', row), notifyProcessor(op, row), ...revocations]
}

/** Revokes a key. Guard: the key is unchanged. */
export function revokeKey(op: Op, key: DelegatedKeyRow): Write {
  return transition(op, 'delegated_keys', DELEGATED_KEY_TRANSITIONS, key, 'revoke').write
}
