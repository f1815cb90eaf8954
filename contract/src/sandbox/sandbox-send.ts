import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64 } from '../core/schema.ts'
import { Transaction } from '../payments/transactions.ts'

export const SandboxSendRequest = Type.Object({
  quoteId: Id('Quote'),
  currencyCode: CurrencyCode,
  currencyAmount: Type.Optional(
    Int64({
      exclusiveMinimum: 0,
      description:
        'In the smallest unit. Default: the amount of the quote. Any other amount makes the quote fail and is refunded',
    }),
  ),
})

/** Simulates the customer's payment for a quote with real-time funding (specification 4.12). */
export const sandbox_send = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/send',
  tag: 'Sandbox',
  summary: 'Pay a quote',
  description:
    "Simulates the customer's payment according to a quote's paymentInstructions, which executes the " +
    'quote.',
  sandboxOnly: true,
  idempotent: true,
  body: SandboxSendRequest,
  responses: { 200: Transaction },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'QUOTE_EXPIRED',
    'QUOTE_NOT_FOUND',
    'QUOTE_ALREADY_EXECUTED',
    'INVALID_STATE_TRANSITION',
  ],
})

export const sandboxSend = { sandbox_send }
