import type { CardFreezeRequest } from '@countersign/contract/cards/cards'
import { CARD_TRANSITIONS } from '@countersign/contract/states/card-states'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { announceCard, changeCard, notifyProcessor } from './cards.ts'

/**
 * A platform's freeze of a card, for safety (decision 0091). It is independent of the cardholder's own
 * freeze: both decline purchases, and each is ended by the side that set it, or by the cardholder if the
 * platform's freeze allows it.
 */

interface Changed {
  readonly row: CardRow
  readonly writes: readonly Write[]
}

/** Error: 409 `INVALID_STATE_TRANSITION` for a card that is not issued yet or closed. */
export function freezeCard(op: Op, card: CardRow, body: Static<typeof CardFreezeRequest>): Changed {
  const isFrozen = nextState(CARD_TRANSITIONS, card.state, 'unfreeze') !== null
  if (!isFrozen && nextState(CARD_TRANSITIONS, card.state, 'freeze') === null)
    throw refused(card, `A card that is ${card.state} cannot be frozen.`)
  const platform_freeze = {
    frozenAt: card.platform_freeze?.frozenAt ?? op.now.toISOString(),
    reason: body.reason,
    cardholderMayLift: body.cardholderMayLift ?? false,
    wasFrozen: card.platform_freeze?.wasFrozen ?? isFrozen,
  }
  return changed(op, changeCard(op, card, isFrozen ? [] : 'freeze', { platform_freeze }))
}

/** Error: 409 `INVALID_STATE_TRANSITION` without a freeze by the platform. */
export function liftFreeze(op: Op, card: CardRow): Changed {
  const { platform_freeze } = card
  if (!platform_freeze) throw refused(card, 'The platform has not frozen this card.')
  return changed(
    op,
    changeCard(op, card, platform_freeze.wasFrozen ? [] : 'unfreeze', { platform_freeze: null }),
  )
}

/** Refuses to let the cardholder end a freeze that only the platform lifts. Error: 409 `INVALID_STATE_TRANSITION`. */
export function checkMayUnfreeze(card: CardRow): void {
  if (card.platform_freeze && !card.platform_freeze.cardholderMayLift)
    throw refused(card, 'The platform has frozen this card, and only the platform can lift that.')
}

function changed(op: Op, { row, write }: { readonly row: CardRow; readonly write: Write }): Changed {
  return { row, writes: [write, announceCard(op, 'CARD.STATE_CHANGE', row), notifyProcessor(op, row)] }
}

function refused({ state }: CardRow, message: string): ApiError {
  return new ApiError('INVALID_STATE_TRANSITION', { message, details: { field: 'state', state } })
}
