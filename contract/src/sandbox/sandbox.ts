import { Type } from 'typebox'
import { InternalAccount } from '../accounts/internal-accounts.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Timestamp } from '../core/schema.ts'

export const SandboxFundRequest = Type.Object({
  amount: Int64({
    exclusiveMinimum: 0,
    maximum: 100_000_000_000,
    description: 'Smallest unit of the currency of the account',
  }),
})

/** The virtual clock of the sandbox. */
export const SandboxClock = Type.Object({ now: Timestamp('What time it is in the sandbox') })

/** Ten years: enough to see anything expire, and far from where dates stop fitting. */
export const CLOCK_ADVANCE_SECONDS_MAX = 315_360_000

export const SandboxClockAdvanceRequest = Type.Object({
  seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: CLOCK_ADVANCE_SECONDS_MAX })),
  to: Type.Optional(Timestamp('Not before now')),
})

/**
 * Puts money into an account out of nothing, at once (specification 4.13). The answer is the account as this call makes it:
 * it does not know of others at the same moment.
 */
export const sandbox_account_fund = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/internal-accounts/{accountId}/fund',
  tag: 'Sandbox',
  summary: 'Fund an account',
  sandboxOnly: true,
  idempotent: true,
  params: Type.Object({ accountId: PathId }),
  body: SandboxFundRequest,
  responses: { 200: InternalAccount },
  errors: [
    'INVALID_INPUT',
    'INVALID_AMOUNT',
    'AMOUNT_OUT_OF_RANGE',
    'FORBIDDEN',
    'ACCOUNT_NOT_FOUND',
    'CUSTOMER_DELETED',
  ],
})

export const sandbox_clock_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Read the clock',
  sandboxOnly: true,
  responses: { 200: SandboxClock },
  errors: [],
})

/** Moves the clock forward and does what falls due on the way, in order, before it answers. */
export const sandbox_clock_advance = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Advance the clock',
  description:
    'Give either seconds or to. On the way quotes, sessions and codes expire, payments settle and webhooks are retried.',
  sandboxOnly: true,
  body: SandboxClockAdvanceRequest,
  responses: { 200: SandboxClock },
  errors: ['INVALID_INPUT'],
})

export const MAGIC_VALUE_FAMILIES = [
  'CUSTOMER_VERIFICATION',
  'BENEFICIARY_VERIFICATION',
  'TRANSFER_IN',
  'TRANSFER_OUT',
  'QUOTE_TO_EXTERNAL_ACCOUNT',
  'QUOTE_FROM_EXTERNAL_ACCOUNT',
  'QUOTE_TO_UMA_ADDRESS',
  'UMA_RECEIVER',
  'ONE_TIME_CODE',
  'WALLET_SIGNATURE',
  'PASSKEY_SIGNATURE',
  'CARD',
  'CARD_PURCHASE',
] as const

/** What one value does. */
export const MagicValue = Type.Object({
  suffix: Type.Optional(Type.String({ description: 'The last characters of what is given' })),
  value: Type.Optional(Type.String({ description: 'The whole of what is given' })),
  outcome: Type.String({ description: 'The status that comes of it; ACCEPTED of a code or a signature' }),
  failureReason: Type.Optional(Type.String({ description: 'That of the transaction' })),
  refundStatus: Type.Optional(Type.String({ description: "That of the transaction's refund" })),
  afterSeconds: Type.Optional(
    Type.Integer({ minimum: 0, description: "When it comes, by the platform's clock" }),
  ),
  meaning: Type.String(),
})

/** One family of values: where they go and what each does. */
export const MagicValueFamily = Type.Object({
  family: OneOfWords(MAGIC_VALUE_FAMILIES),
  appliesTo: Type.String({ description: 'What is steered' }),
  places: Type.Array(Type.String(), { description: 'Where the value is given' }),
  values: Type.Array(MagicValue),
  otherwise: Type.String({ description: 'What comes of any other value' }),
})

/** Everything that steers the sandbox (specification 4.16, 5.6). */
export const sandbox_magic_value_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/sandbox/magic-values',
  tag: 'Sandbox',
  summary: 'List the magic values',
  description: 'Printed from the tables that the sandbox itself decides by.',
  sandboxOnly: true,
  responses: { 200: Type.Object({ data: Type.Array(MagicValueFamily) }) },
  errors: [],
})

/** A platform that has just been emptied. */
export const SandboxReset = Type.Object({
  platformId: Id('Platform', 'That of the empty platform, which is another one than before'),
  now: Timestamp('Its time: real time again'),
})

/** Empties the platform: settings and tokens stay, everything else is gone. */
export const sandbox_reset = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/sandbox/reset',
  tag: 'Sandbox',
  summary: 'Empty the platform',
  description:
    'An empty platform takes the place of this one, with its name, settings, API tokens and webhook secrets. Customers, ' +
    'accounts, payments, events, messages and idempotency keys are gone for good, due work is never done, and the ' +
    'clock is back at real time. Of several at once one resets; the others may be answered 409.',
  sandboxOnly: true,
  responses: { 200: SandboxReset },
  errors: ['CONFLICT'],
})

export const sandbox = {
  sandbox_account_fund,
  sandbox_clock_get,
  sandbox_clock_advance,
  sandbox_magic_value_list,
  sandbox_reset,
}
