import type { card_update, cards } from '@countersign/contract/cards/cards'
import { CARD_INITIAL, CARD_TRANSITIONS, type CardEvent } from '@countersign/contract/states/card-states'
import { describeInternalAccount, findWallet } from '../../kernel/accounts/accounts.ts'
import { withNames } from '../../kernel/accounts/names.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError, type Handlers, type Input } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { derivePlatformCardId } from '../../kernel/ports/card-processor.ts'
import { SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { expectRow, insert } from '../../storage/commit/writes.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { toCardTransactionView } from './card-transactions.ts'
import {
  announceCard,
  changeCard,
  checkFundingSources,
  describeCard,
  findCard,
  notifyProcessor,
  toCardView,
} from './cards.ts'
import { revokeKey } from './close-cards.ts'
import { checkCanUnfreeze, freezeCard, liftFreeze } from './platform-freeze.ts'
import {
  selectActiveCardKeys,
  selectCardByPlatformCardId,
  selectCards,
  selectCardTransactions,
} from './store.ts'

export const cardHandlers: Handlers<typeof cards> = {
  card_create: async (op, { body }) => {
    if (!op.cardProcessor)
      throw new ApiError('NOT_IMPLEMENTED', {
        message: 'This server has no card processor, so it cannot issue cards.',
      })
    const cardholder = await findCustomer(op, body.cardholderId, 'cardholderId')
    const { verification_status } = cardholder
    if (verification_status !== 'APPROVED' && verification_status !== 'PENDING')
      throw createFieldError(
        'CARDHOLDER_KYC_NOT_APPROVED',
        'cardholderId',
        `The cardholder's verification is ${verification_status}, but it must be APPROVED or PENDING.`,
      )
    const isApproved = verification_status === 'APPROVED'
    const currency = await checkFundingSources(op, cardholder.id, body.fundingSources)
    const id = op.newId('Card')
    const platformCardId = body.platformCardId ?? derivePlatformCardId(id)
    if (await selectCardByPlatformCardId(op, platformCardId))
      throw new ApiError('PLATFORM_CARD_ID_EXISTS', {
        details: { field: 'platformCardId' },
      })
    const card: CardRow = {
      id,
      platform_id: op.platform.id,
      cardholder_id: cardholder.id,
      platform_card_id: platformCardId,
      state: isApproved ? CARD_TRANSITIONS[CARD_INITIAL].approve : CARD_INITIAL,
      state_reason: null,
      currency,
      funding_sources: [...body.fundingSources],
      brand: null,
      last4: null,
      exp_month: null,
      exp_year: null,
      pan_embed_url: null,
      processor_ref: null,
      issuer_ref: null,
      platform_freeze: null,
      version: 1,
      created_at: op.now,
      updated_at: op.now,
    }
    return {
      status: 201,
      body: toCardView(op, card),
      writes: [
        // The card's first state depends on the cardholder's verification, which must not change in the
        // meantime.
        expectRow('customers', cardholder.id, { deleted_at: null, verification_status }),
        insert('cards', card),
        ...(isApproved ? [job(op, 'card.provision', { cardId: id }, op.now)] : []),
      ],
    }
  },

  card_list: async (op, { query }) => ({
    status: 200,
    body: await withNames(
      op,
      query,
      await listPage(op, query, {
        rows: selectCards(op, query),
        table: 'cards',
        order: query.sortOrder ?? 'desc',
        view: (rows) => rows.map((row) => toCardView(op, row)),
      }),
      ({ cardholderId }) => [cardholderId],
    ),
  }),

  card_get: async (op, { params }) => ({
    status: 200,
    body: toCardView(op, await findCard(op, params.id)),
  }),

  /**
   * Changes a card. The cardholder signs the change in a session of the embedded wallet (specification 4.10).
   */
  card_update: {
    async toSign(op, { params, body }) {
      const card = await findCard(op, params.id)
      await validateUpdate(op, card, body)
      const wallet = await findWallet(op, card.cardholder_id)
      if (!wallet)
        throw createFieldError(
          'INVALID_INPUT',
          'id',
          'The cardholder has no embedded wallet to sign this change with.',
        )
      return {
        accountId: wallet.id,
        statement: {
          operation: 'card_update',
          summary: summarizeChange(card, body, wallet.id),
          card: card.id,
          ...(card.last4 === null ? {} : { last4: card.last4 }),
          ...(body.state ? { state: body.state } : {}),
          ...(body.fundingSources ? { fundingSources: body.fundingSources } : {}),
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
      }
    },

    /** Checks the change again, because the card may have changed since the first call. */
    async handle(op, { params, body }) {
      const before = await findCard(op, params.id)
      const { events, change } = await validateUpdate(op, before, body)
      const { row, write } = changeCard(op, before, events, change)
      const isEnded = nextState(CARD_TRANSITIONS, row.state, 'delete') === null
      const keys = isEnded ? await selectActiveCardKeys(op, row.id) : []
      return {
        status: 200,
        body: toCardView(op, row),
        writes: [
          write,
          ...(body.state ? [announceCard(op, 'CARD.STATE_CHANGE', row), notifyProcessor(op, row)] : []),
          ...(change.funding_sources ? [announceCard(op, 'CARD.FUNDING_SOURCE_CHANGE', row)] : []),
          ...keys.map((key) => revokeKey(op, key)),
        ],
      }
    },
  },

  card_freeze: async (op, { params, body }) => {
    const { row, writes } = freezeCard(op, await findCard(op, params.id), body)
    return { status: 200, body: toCardView(op, row), writes }
  },

  card_freeze_lift: async (op, { params }) => {
    const { row, writes } = liftFreeze(op, await findCard(op, params.id))
    return { status: 200, body: toCardView(op, row), writes }
  },

  card_transaction_list: async (op, { params, query }) => {
    const card = await findCard(op, params.id)
    return {
      status: 200,
      body: await listPage(
        op,
        { ...query, of: card.id },
        {
          rows: selectCardTransactions(op, card.id, query.status),
          table: 'card_transactions',
          order: query.sortOrder ?? 'desc',
          view: (rows) => rows.map(toCardTransactionView),
        },
      ),
    }
  },
}

type UpdateBody = Input<typeof card_update>['body']

const EVENT_BY_STATE: Readonly<Record<NonNullable<UpdateBody['state']>, CardEvent>> = {
  ACTIVE: 'unfreeze',
  FROZEN: 'freeze',
  CLOSED: 'close',
}

/** Validates an update, and returns its event and the changed columns. */
async function validateUpdate(
  op: Op,
  card: CardRow,
  { state, fundingSources }: UpdateBody,
): Promise<{ readonly events: CardEvent | readonly []; readonly change: Partial<CardRow> }> {
  if (state === undefined && fundingSources === undefined)
    throw createFieldError('INVALID_INPUT', 'state', 'Set state, fundingSources or both.')
  if (state === 'CLOSED' && fundingSources !== undefined)
    throw createFieldError(
      'INVALID_INPUT',
      'fundingSources',
      'fundingSources cannot be set together with CLOSED. To pause the card, use FROZEN.',
    )
  const isAllowed =
    state !== undefined && nextState(CARD_TRANSITIONS, card.state, EVENT_BY_STATE[state]) !== null
  if (state !== undefined ? !isAllowed : card.state === 'CLOSED')
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: state
        ? `A card that is ${card.state} cannot become ${state}.`
        : 'The card is CLOSED, so its funding sources cannot change.',
      details: { field: state ? 'state' : 'fundingSources', state: card.state },
    })
  if (state === 'ACTIVE') checkCanUnfreeze(card)
  if (fundingSources) await checkFundingSources(op, card.cardholder_id, fundingSources, card.currency)
  return {
    events: state ? EVENT_BY_STATE[state] : [],
    change: {
      ...(state === 'CLOSED' ? { state_reason: 'CLOSED_BY_PLATFORM' as const } : {}),
      ...(fundingSources ? { funding_sources: [...fundingSources] } : {}),
    },
  }
}

const STATE_PHRASES: Readonly<Record<NonNullable<UpdateBody['state']>, (card: string) => string>> = {
  ACTIVE: (card) => `unfreeze ${card}`,
  FROZEN: (card) => `freeze ${card}`,
  CLOSED: (card) => `permanently close ${card}`,
}

/**
 * Describes the change in the sentence that the cardholder signs. Accounts are listed in the order in which
 * they pay.
 */
function summarizeChange(card: CardRow, { state, fundingSources }: UpdateBody, walletId: string): string {
  const name = describeCard(card)
  const sources = fundingSources?.map((id) =>
    id === walletId ? 'this wallet' : describeInternalAccount({ id, currency: card.currency }),
  )
  const parts = [
    ...(state ? [STATE_PHRASES[state](name)] : []),
    ...(sources
      ? [`let ${state ? 'it' : name} be paid from ${sources.join(', then from ')}, and from nothing else`]
      : []),
  ]
  const sentence = parts.join(', and ')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
