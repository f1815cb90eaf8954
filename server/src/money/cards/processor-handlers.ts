import type { card_processor_event } from '@countersign/contract/cards/card-processor'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import type { KeyedRequest } from '../../kernel/idempotency/stored-responses.ts'
import type { Op } from '../../kernel/operation/app.ts'
import {
  ApiError,
  createFieldError,
  type IdempotentOperation,
  type IdempotentOutcome,
  type ProcessorHandler,
} from '../../kernel/operation/operation.ts'
import type { AuthorizationEvent, ClearingEvent, ReturnEvent } from '../../kernel/ports/card-processor.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { authorize } from './authorize.ts'
import { clear, expirePurchase, giveBack, type PurchaseChange } from './card-transactions.ts'
import { findCard, findCardOfProcessor, requireProcessor } from './cards.ts'
import { clearForced, type ForcedClearing } from './forced-clearing.ts'
import {
  type AuthorizationResponse,
  createEventConflictError,
  findEventResponse,
  type ProcessorEventResponse,
  storeEventResponse,
  toEventKey,
  toFinalResponseKey,
} from './processor-responses.ts'
import { selectCardTransactionByToken, selectPlatformOfCard } from './store.ts'

type Declared = typeof card_processor_event
type Movement = ClearingEvent | ReturnEvent

const TIMED_OUT: AuthorizationResponse = { approved: false, reason: 'TIMEOUT' }

/** Handles the events of the card processor, which asks for authorizations and reports claims and returns. */
export const cardProcessorEvent: ProcessorHandler<Declared> = {
  /** Throws 404 `CARD_NOT_FOUND`. */
  async resolvePlatform({ lookup }, { body }) {
    const card = await findCardOfProcessor(lookup, body.processorRef)
    if (!card) throw new ApiError('CARD_NOT_FOUND', { details: { field: 'processorRef' } })
    const platform = await selectPlatformOfCard(lookup, card)
    return { platform, actor: { kind: 'cardProcessor', cardId: card.id } }
  },

  async replay(op, { body: event }) {
    const before = await findEventResponse(op, toEventKey(op, event))
    const isOpen = event.kind === 'authorization' && isApproval(before)
    return toResponse(isOpen ? await findEventResponse(op, toFinalResponseKey(op, event)) : before)
  },

  async handle(op, { body: event }, isLate) {
    return event.kind === 'authorization' ? decideAuthorization(op, event, isLate) : handleMovement(op, event)
  },

  timeout({ body: event }) {
    if (event.kind !== 'authorization') return undefined
    return { answer: { status: 200, body: TIMED_OUT }, takeBack: revertApproval(event) }
  },
}

/** Decides whether a card pays. Retrying an approved event returns the same approval and makes it final. */
async function decideAuthorization(
  op: Op,
  event: AuthorizationEvent,
  isLate: () => boolean,
): Promise<IdempotentOutcome<Declared>> {
  const key = toEventKey(op, event)
  const before = (await findEventResponse(op, key)) ?? (await findApproved(op, event))
  // The processor has timed out, so it can no longer receive the stored response.
  if (before && isLate()) return { status: 200, body: TIMED_OUT }
  if (before) return respondAndStore(op, toFinalResponseKey(op, event), before)
  const result = await authorize(op, await findCard(op, requireCardId(op)), event)
  if (!result.isApproved) return respondAndStore(op, key, { approved: false, reason: result.reason })
  if (isLate()) return respondAndStore(op, key, TIMED_OUT)
  const { row, writes } = result
  const approval = { approved: true, cardTransactionId: row.id } as const
  return { ...respondAndStore(op, key, approval, writes), isRevertible: true }
}

/**
 * Rebuilds an approval whose stored response has expired. Throws 409 `PROCESSOR_EVENT_REUSED` if the token
 * belongs to another purchase.
 */
async function findApproved(
  op: Op,
  { token, amount, currency }: AuthorizationEvent,
): Promise<AuthorizationResponse | undefined> {
  const row = await selectCardTransactionByToken(op, token)
  if (!row) return undefined
  if (row.card_id !== requireCardId(op) || row.authorized_amount !== amount || row.currency !== currency)
    throw createEventConflictError('token')
  return { approved: true, cardTransactionId: row.id }
}

/**
 * Releases the hold if the approval was committed after the timeout, unless a retry has received the approval
 * in the meantime.
 */
function revertApproval(event: AuthorizationEvent): IdempotentOperation<Declared> {
  return {
    replay: async (op) => toResponse(await findEventResponse(op, toFinalResponseKey(op, event))),
    async handle(op) {
      const row = await selectCardTransactionByToken(op, event.token)
      // If the merchant has claimed the purchase, the processor treated it as approved.
      if (row?.state !== 'AUTHORIZED') return { status: 200, body: TIMED_OUT }
      const { writes } = await expirePurchase(op, row)
      return respondAndStore(op, toFinalResponseKey(op, event), TIMED_OUT, writes)
    },
  }
}

async function handleMovement(op: Op, event: Movement): Promise<IdempotentOutcome<Declared>> {
  const { row, writes } = await applyMovement(op, await findCard(op, requireCardId(op)), event)
  return respondAndStore(op, toEventKey(op, event), { cardTransactionId: row.id, status: row.state }, writes)
}

async function applyMovement(op: Op, card: CardRow, event: Movement): Promise<PurchaseChange> {
  const before = await selectCardTransactionByToken(op, event.token)
  if (event.kind === 'clearing' && event.currency !== undefined)
    checkCurrency(event.currency, before?.currency ?? card.currency)
  if (!before && isForcedClearing(event)) return clearForced(op, card, event)
  if (before?.card_id !== card.id)
    throw new ApiError('CARD_TRANSACTION_NOT_FOUND', { details: { field: 'token' } })
  return event.kind === 'clearing'
    ? clear(op, before, event.amount, requireProcessor(op).pullPlan(before, op.now))
    : giveBack(op, before, event.amount)
}

function isForcedClearing(event: Movement): event is ForcedClearing {
  return event.kind === 'clearing' && event.merchant !== undefined && event.amount > 0n
}

/**
 * Checks that a claim is in the card's currency. The processor converts claims before it reports them. Throws
 * 400 `INVALID_INPUT`.
 */
function checkCurrency(claimed: string, currency: string): void {
  if (claimed !== currency)
    throw createFieldError(
      'INVALID_INPUT',
      'currency',
      `The claim is in ${claimed}, but the card is in ${currency}.`,
    )
}

function isApproval(answer: ProcessorEventResponse | undefined): boolean {
  return answer !== undefined && 'approved' in answer && answer.approved
}

/** Returns the response to an event, and stores it for retries. */
function respondAndStore(
  op: Op,
  key: KeyedRequest,
  body: ProcessorEventResponse,
  writes: readonly Write[] = [],
): IdempotentOutcome<Declared> {
  return { status: 200, body, writes: [...writes, storeEventResponse(op, key, body)] }
}

function toResponse(body: ProcessorEventResponse | undefined): SuccessOf<Declared> | undefined {
  return body && { status: 200, body }
}

function requireCardId({ actor }: Op): string {
  if (actor.kind !== 'cardProcessor') throw new Error('The actor is not a card processor')
  return actor.cardId
}
