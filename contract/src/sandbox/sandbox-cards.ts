import { Type } from 'typebox'
import { CardMerchant, CardTransaction } from '../cards/cards.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, Text } from '../core/schema.ts'

/** A currency object as in responses, or only its code. */
const CurrencyInput = Type.Object({
  code: CurrencyCode,
  name: Type.Optional(Text(64)),
  symbol: Type.Optional(Text(16)),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 30 })),
})

export const SandboxCardAuthorizationRequest = Type.Object({
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of currency' }),
  currency: CurrencyInput,
  merchant: CardMerchant,
})

export const SandboxCardClearingRequest = Type.Object({
  cardTransactionId: Id('CardTransaction'),
  amount: Int64({
    minimum: 0,
    description:
      'May exceed the authorized amount, up to the amount that the merchant may claim; more is an EXCEPTION. 0: the merchant claims nothing',
  }),
})

export const SandboxCardReturnRequest = Type.Object({
  cardTransactionId: Id('CardTransaction'),
  amount: Int64({
    exclusiveMinimum: 0,
    description: 'At most the settled amount that has not been refunded yet',
  }),
})

const shared = {
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  tag: 'Sandbox',
  sandboxOnly: true,
  idempotent: true,
  params: Type.Object({ id: PathId }),
  responses: { 200: CardTransaction },
} as const

/** Simulates a merchant's authorization request. A decline is a 403 whose code is the reason. */
export const sandbox_card_authorization = endpoint({
  ...shared,
  path: '/sandbox/cards/{id}/simulate/authorization',
  summary: 'Use a card',
  description:
    'Simulates an authorization by a merchant: the amount is held, or declined. A decline is a 403 whose ' +
    'code is the reason. The last three characters of the descriptor control the outcome.',
  body: SandboxCardAuthorizationRequest,
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'CARD_PAUSED',
    'CARD_CLOSED',
    'CARD_NOT_ACTIVE',
    'CARD_CURRENCY_MISMATCH',
    'CARD_INSUFFICIENT_FUNDS',
    'CARD_NOT_FOUND',
  ],
})

/** Simulates a merchant's claim. A purchase can have several. */
export const sandbox_card_clearing = endpoint({
  ...shared,
  path: '/sandbox/cards/{id}/simulate/clearing',
  summary: 'Clear a purchase',
  description:
    "Simulates a merchant's claim for a purchase. There may be several claims. The merchant's category " +
    'limits the amount by which they may exceed the authorization.',
  body: SandboxCardClearingRequest,
  errors: [
    'INVALID_INPUT',
    'AMOUNT_OUT_OF_RANGE',
    'FORBIDDEN',
    'CARD_NOT_FOUND',
    'CARD_TRANSACTION_NOT_FOUND',
    'INVALID_STATE_TRANSITION',
  ],
})

/** Simulates a refund by the merchant. */
export const sandbox_card_return = endpoint({
  ...shared,
  path: '/sandbox/cards/{id}/simulate/return',
  summary: 'Refund a purchase',
  description: "Simulates a merchant's partial or full refund of a cleared purchase.",
  body: SandboxCardReturnRequest,
  errors: [
    'INVALID_INPUT',
    'AMOUNT_OUT_OF_RANGE',
    'FORBIDDEN',
    'CARD_NOT_FOUND',
    'CARD_TRANSACTION_NOT_FOUND',
    'INVALID_STATE_TRANSITION',
  ],
})

export const sandboxCards = { sandbox_card_authorization, sandbox_card_clearing, sandbox_card_return }
