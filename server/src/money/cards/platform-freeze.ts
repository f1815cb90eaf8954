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
 * Freezes of cards by the platform, for safety (decision 0091). The cardholder's own freeze is separate: each
 * freeze declines purchases, and each is lifted by the side that set it. The platform may allow the
 * cardholder to lift the platform's freeze.
 */

interface CardChange {
  readonly row: CardRow
  readonly writes: readonly Write[]
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the card has not been issued yet or is closed. */
export function freezeCard(op: Op, card: CardRow, body: Static<typeof CardFreezeRequest>): CardChange {
  const isFrozen = nextState(CARD_TRANSITIONS, card.state, 'unfreeze') !== null
  if (!isFrozen && nextState(CARD_TRANSITIONS, card.state, 'freeze') === null)
    throw createInvalidTransitionError(card, `A card that is ${card.state} cannot be frozen.`)
  const platform_freeze = {
    frozenAt: card.platform_freeze?.frozenAt ?? op.now.toISOString(),
    reason: body.reason,
    cardholderMayLift: body.cardholderMayLift ?? false,
    wasFrozen: card.platform_freeze?.wasFrozen ?? isFrozen,
  }
  return toCardChange(op, changeCard(op, card, isFrozen ? [] : 'freeze', { platform_freeze }))
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the platform has not frozen the card. */
export function liftFreeze(op: Op, card: CardRow): CardChange {
  const { platform_freeze } = card
  if (!platform_freeze) throw createInvalidTransitionError(card, 'The platform has not frozen this card.')
  return toCardChange(
    op,
    changeCard(op, card, platform_freeze.wasFrozen ? [] : 'unfreeze', { platform_freeze: null }),
  )
}

/**
 * Rejects an unfreeze by the cardholder if only the platform may lift the freeze. Throws 409
 * `INVALID_STATE_TRANSITION`.
 */
export function checkCanUnfreeze(card: CardRow): void {
  if (card.platform_freeze && !card.platform_freeze.cardholderMayLift)
    throw createInvalidTransitionError(
      card,
      'The platform has frozen this card. Only the platform can lift this freeze.',
    )
}

function toCardChange(op: Op, { row, write }: { readonly row: CardRow; readonly write: Write }): CardChange {
  return { row, writes: [write, announceCard(op, 'CARD.STATE_CHANGE', row), notifyProcessor(op, row)] }
}

function createInvalidTransitionError({ state }: CardRow, message: string): ApiError {
  return new ApiError('INVALID_STATE_TRANSITION', { message, details: { field: 'state', state } })
}
