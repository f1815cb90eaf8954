import { CLOSED_BY_SVC } from '@countersign/contract/core/wire-word'
import { CARD_INITIAL, CARD_TRANSITIONS } from '@countersign/contract/states/card-states'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findCustomerOnRecord } from '../../people/customers/customers.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { collectClaim, expirePurchase } from './card-transactions.ts'
import { announceCard, changeCard, findCard, notifyProcessor, requireProcessor } from './cards.ts'
import { selectCards, selectCardTransaction } from './store.ts'

/**
 * Polls the processor until the card is issued or rejected. Continues after the card is closed, because the
 * processor may still issue it and must then be told to close it.
 */
export const provisionCard: JobHandler<'card.provision'> = async (op, payload) => {
  const card = await findCard(op, payload.cardId)
  const isEnded = nextState(CARD_TRANSITIONS, card.state, 'provision') === null
  if (isEnded && (card.processor_ref !== null || card.state_reason === 'ISSUER_REJECTED')) return []
  const result = await requireProcessor(op).provision({
    cardId: card.id,
    platformCardId: card.platform_card_id,
    currency: card.currency,
    requestedAt: card.created_at,
    now: op.now,
  })
  if (result.outcome === 'pending')
    return result.pollAt ? [job(op, 'card.provision', payload, result.pollAt)] : []
  if (result.outcome === 'rejected') {
    if (nextState(CARD_TRANSITIONS, card.state, 'reject') === null) return []
    const { row, write } = changeCard(op, card, 'reject', { state_reason: 'ISSUER_REJECTED' })
    return [write, announceCard(op, 'CARD.STATE_CHANGE', row)]
  }
  const { row, write } = changeCard(op, card, isEnded ? [] : 'provision', {
    brand: result.brand,
    last4: result.last4,
    exp_month: result.expMonth,
    exp_year: result.expYear,
    pan_embed_url: result.panEmbedUrl,
    processor_ref: result.processorRef,
    issuer_ref: result.issuerRef,
  })
  return [write, isEnded ? notifyProcessor(op, row) : announceCard(op, 'CARD.STATE_CHANGE', row)]
}

const CARDS_PER_JOB_MAX = 100

/**
 * Processes the cards that wait for their holder's verification: issues them if it was approved, closes them
 * if it was rejected. Guard: the verification status is unchanged.
 */
export const continueCards: JobHandler<'cards.continue'> = async (op, payload) => {
  const holder = await findCustomerOnRecord(op, payload.customerId)
  // The cards of a deleted customer were closed with the customer.
  if (!holder || holder.deleted_at !== null || holder.verification_status === 'PENDING') return []
  const { id, verification_status } = holder
  const waitingCards = await selectCards(op, { cardholderId: id, state: CARD_INITIAL })
    .orderBy('id')
    .limit(CARDS_PER_JOB_MAX)
    .execute()
  if (waitingCards.length === 0) return []
  const cardWrites = waitingCards.flatMap((card) =>
    verification_status === 'APPROVED' ? startProvisioning(op, card) : refuseCard(op, card),
  )
  const hasMore = waitingCards.length === CARDS_PER_JOB_MAX
  return [
    expectRow('customers', id, { deleted_at: null, verification_status }),
    ...cardWrites,
    ...(hasMore ? [job(op, 'cards.continue', payload, op.now)] : []),
  ]
}

function startProvisioning(op: Op, card: CardRow): Write[] {
  const { row, write } = changeCard(op, card, 'approve', {})
  return [
    write,
    announceCard(op, 'CARD.STATE_CHANGE', row),
    job(op, 'card.provision', { cardId: card.id }, op.now),
  ]
}

function refuseCard(op: Op, card: CardRow): Write[] {
  const { row, write } = changeCard(op, card, 'refuse', { state_reason: CLOSED_BY_SVC })
  return [write, announceCard(op, 'CARD.STATE_CHANGE', row)]
}

/** Reports a card's current state to the processor, skipping the states in between. */
export const notifyCardProcessor: JobHandler<'card.notify-processor'> = async (op, payload) => {
  const card = await findCard(op, payload.cardId)
  if (card.processor_ref !== null) await requireProcessor(op).updateState(card.processor_ref, card.state)
  return []
}

/** Expires an authorization that was not cleared before its deadline. */
export const expireCardTransaction: JobHandler<'card-transaction.expire'> = async (op, payload) => {
  const row = await selectCardTransaction(op, payload.cardTransactionId)
  return row && row.unclaimed_amount > 0n ? (await expirePurchase(op, row)).writes : []
}

/** Pulls a merchant's claim from the funding source. */
export const pullCardTransaction: JobHandler<'card-transaction.pull'> = async (op, payload) => {
  const row = await selectCardTransaction(op, payload.cardTransactionId)
  if (!row) throw new Error(`Card transaction ${payload.cardTransactionId} does not exist`)
  const { fromHold, above, fails } = payload
  return collectClaim(op, row, { fromHold: BigInt(fromHold), above: BigInt(above), fails })
}
