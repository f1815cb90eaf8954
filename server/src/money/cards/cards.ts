import type { card_get } from '@countersign/contract/cards/cards'
import { CARD_CURRENCY_OF } from '@countersign/contract/cards/cards'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { CARD_TRANSITIONS, type CardEvent } from '@countersign/contract/states/card-states'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { CardProcessor } from '../../kernel/ports/card-processor.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { selectCard, selectCardOfProcessor } from './store.ts'

type CardView = SuccessOf<typeof card_get>['body']

/** Finds a card of this platform. Throws 404 `CARD_NOT_FOUND`, naming `field`. */
export async function findCard(op: Op, id: string, field = 'id'): Promise<CardRow> {
  const card = await selectCard(op, id)
  if (!card || !canSee(op, card.cardholder_id)) throw new ApiError('CARD_NOT_FOUND', { details: { field } })
  return card
}

/** Finds a card on any platform by the processor's reference. */
export async function findCardOfProcessor(
  lookup: Lookup,
  processorRef: string,
): Promise<CardRow | undefined> {
  return selectCardOfProcessor(lookup, processorRef)
}

/** The configured card processor. Throws if the server has no processor and therefore no cards. */
export function requireProcessor(op: Pick<Op, 'cardProcessor'>): CardProcessor {
  if (!op.cardProcessor) throw new Error('No card processor is configured')
  return op.cardProcessor
}

/**
 * Checks the accounts that fund a card, and returns the card's currency. All accounts must belong to the
 * cardholder and pay cards in one currency. Errors, naming the index in the list: 400 `INVALID_INPUT` for a
 * repeated account, 400 `FUNDING_SOURCE_INELIGIBLE`.
 */
export async function checkFundingSources(
  op: Op,
  cardholderId: string,
  ids: readonly string[],
  currency?: KnownCurrency,
): Promise<KnownCurrency> {
  let cardsCurrency = currency
  for (const [index, id] of ids.entries()) {
    const field = `fundingSources.${index}`
    if (ids.indexOf(id) < index)
      throw createFieldError('INVALID_INPUT', field, `${field} repeats an account in the list`)
    const account = await findInternalAccount(op, id, field).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined
      throw error
    })
    if (account?.customer_id !== cardholderId)
      throw createFieldError(
        'FUNDING_SOURCE_INELIGIBLE',
        field,
        `${field} is not an account of the cardholder`,
      )
    // While the cardholder's verification is pending, both account and card are PENDING.
    if (account.status !== 'ACTIVE' && account.status !== 'PENDING')
      throw createFieldError(
        'FUNDING_SOURCE_INELIGIBLE',
        field,
        `${field} is ${account.status}, so it cannot fund a card`,
      )
    if (account.chain_rail !== null)
      throw createFieldError(
        'FUNDING_SOURCE_INELIGIBLE',
        field,
        `${field} is a chain wallet, which can pay only with its holder's signature`,
      )
    const cardCurrency = getCardCurrency(account.currency)
    if (cardCurrency === undefined)
      throw createFieldError(
        'FUNDING_SOURCE_INELIGIBLE',
        field,
        `${field} is in ${account.currency}, but a card can only be paid from ${Object.keys(CARD_CURRENCY_OF).join(', ')}`,
      )
    cardsCurrency ??= cardCurrency
    if (cardCurrency !== cardsCurrency)
      throw createFieldError(
        'FUNDING_SOURCE_INELIGIBLE',
        field,
        `${field} is in ${account.currency}, which pays cards in ${cardCurrency}, but this card is in ${cardsCurrency}`,
      )
  }
  if (cardsCurrency === undefined) throw new Error('The card has no funding source')
  return cardsCurrency
}

/** Describes a card in the sentence that its holder signs. */
export function describeCard({ id, last4 }: Pick<CardRow, 'id' | 'last4'>): string {
  return last4 === null ? `the new card ${id}, which has no number yet` : `the card ending in ${last4}`
}

/** The currency of the cards that an account in this currency can fund; undefined if it can fund none. */
function getCardCurrency(source: KnownCurrency): KnownCurrency | undefined {
  const currencies: { readonly [Source in KnownCurrency]?: KnownCurrency } = CARD_CURRENCY_OF
  return currencies[source]
}

/** Applies events, or a change without an event, to a card. Guard: the card is unchanged. */
export function changeCard(
  op: Op,
  card: CardRow,
  events: CardEvent | readonly [],
  change: Partial<CardRow>,
): { readonly row: CardRow; readonly write: Write } {
  const { version } = card
  // The platform's freeze ends when the card leaves the state that the freeze caused.
  const freezeChange = events.length > 0 && events !== 'freeze' ? { platform_freeze: null } : {}
  const set = { ...freezeChange, ...change, version: version + 1 }
  return transition(op, 'cards', CARD_TRANSITIONS, card, events, set, { version })
}

/** The event that reports the card's current state to the platform. */
export function announceCard(
  op: Op,
  type: 'CARD.STATE_CHANGE' | 'CARD.FUNDING_SOURCE_CHANGE',
  card: CardRow,
): Write {
  return event(op, type, card.id, toCardView(op, card, true))
}

/** The job that reports a card to the processor, in the state that it has when the job runs. */
export function notifyProcessor(op: Op, card: CardRow): Write {
  return job(op, 'card.notify-processor', { cardId: card.id }, op.now)
}

/**
 * A card as the API shows it (specification 2.10). Customers do not see the reason for the platform's freeze.
 */
export function toCardView(
  op: Pick<Op, 'origin' | 'actor'>,
  card: CardRow,
  showsReason = op.actor.kind !== 'customer',
): CardView {
  const url = card.pan_embed_url
  const freeze = card.platform_freeze
  return {
    ...present({
      id: card.id,
      cardholderId: card.cardholder_id,
      platformCardId: card.platform_card_id,
      state: card.state,
      brand: card.brand,
      form: 'VIRTUAL' as const,
      last4: card.last4,
      expMonth: card.exp_month,
      expYear: card.exp_year,
      panEmbedUrl: url?.startsWith('/') ? op.origin() + url : url,
      fundingSources: card.funding_sources,
      currency: card.currency,
      platformFreeze: freeze && {
        frozenAt: freeze.frozenAt,
        cardholderMayLift: freeze.cardholderMayLift,
        ...(showsReason ? { reason: freeze.reason } : {}),
      },
      processorRef: card.processor_ref,
      issuerRef: card.issuer_ref,
      createdAt: card.created_at.toISOString(),
      updatedAt: card.updated_at.toISOString(),
    }),
    stateReason: card.state_reason,
  }
}
