import type { sandboxCards } from '@countersign/contract/sandbox/sandbox-cards'
import { findPurchaseScenario } from '../../kernel/magic-values/card-outcomes.ts'
import { takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { authorize } from '../../money/cards/authorize.ts'
import {
  clear,
  findCardTransaction,
  giveBack,
  toCardTransactionView,
} from '../../money/cards/card-transactions.ts'
import { findCard, requireProcessor } from '../../money/cards/cards.ts'

export const sandboxCardHandlers: Handlers<typeof sandboxCards> = {
  /** Simulates the use of a card, with the same effects as events from the sandbox's processor. */
  sandbox_card_authorization: async (op, { params, body }) => {
    const card = await findCard(op, params.id)
    const { merchant, amount, currency } = body
    const declined = findPurchaseScenario(takeSuffix(merchant.descriptor))?.declined
    const token = `sandbox-${Buffer.from(op.random(12)).toString('hex')}`
    const authorized = await authorize(op, card, {
      kind: 'authorization',
      processorRef: card.processor_ref ?? '',
      token,
      amount,
      currency: currency.code,
      merchant,
      ...(declined ? { declined } : {}),
    })
    if (!authorized.isApproved)
      throw new ApiError(authorized.reason, { details: { field: 'id', cardId: card.id } })
    const { row, writes } = authorized
    return { status: 200, body: toCardTransactionView(row), writes }
  },

  sandbox_card_clearing: async (op, { params, body }) => {
    const card = await findCard(op, params.id)
    const purchase = await findCardTransaction(op, card.id, body.cardTransactionId)
    const { row, writes } = await clear(
      op,
      purchase,
      body.amount,
      requireProcessor(op).pullPlan(purchase, op.now),
    )
    return { status: 200, body: toCardTransactionView(row), writes }
  },

  sandbox_card_return: async (op, { params, body }) => {
    const card = await findCard(op, params.id)
    const purchase = await findCardTransaction(op, card.id, body.cardTransactionId)
    const { row, writes } = await giveBack(op, purchase, body.amount)
    return { status: 200, body: toCardTransactionView(row), writes }
  },
}
