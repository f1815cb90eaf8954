import { Type } from 'typebox'
import { InternalAccount } from '../accounts/internal-accounts.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Timestamp } from '../core/schema.ts'

export const SandboxFundRequest = Type.Object({
  amount: Int64({
    exclusiveMinimum: 0,
    maximum: 100_000_000_000,
    description: "In the smallest unit of the account's currency",
  }),
})

/** The sandbox's virtual clock. */
export const SandboxClock = Type.Object({ now: Timestamp("The sandbox's current time") })

/**
 * Ten years: long enough for everything to expire, and short enough that dates stay far from their limits.
 */
export const CLOCK_ADVANCE_SECONDS_MAX = 315_360_000

export const SandboxClockAdvanceRequest = Type.Object({
  seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: CLOCK_ADVANCE_SECONDS_MAX })),
  to: Type.Optional(Timestamp('The new time. It must not be in the past')),
})

/**
 * Adds test money to an account immediately (specification 4.13). The response shows the account as this call
 * left it, regardless of concurrent calls.
 */
export const sandbox_account_fund = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/internal-accounts/{accountId}/fund',
  tag: 'Sandbox',
  summary: 'Fund an account',
  description:
    'Creates money in an account immediately. The response shows the account with its new ' + 'balance.',
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
  description: "Shows the platform's current time. Its clock can be moved ahead of real time.",
  sandboxOnly: true,
  responses: { 200: SandboxClock },
  errors: [],
})

/** Moves the clock forward. Before it responds, runs the jobs that become due, in order. */
export const sandbox_clock_advance = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Advance the clock',
  description:
    "Moves the platform's clock forward and runs everything that becomes due. Send either seconds or to. " +
    'Quotes, sessions and codes expire, payments settle and webhooks are retried accordingly.',
  sandboxOnly: true,
  body: SandboxClockAdvanceRequest,
  responses: { 200: SandboxClock },
  errors: ['INVALID_INPUT'],
})

export const MAGIC_VALUE_FAMILIES = [
  'CUSTOMER_VERIFICATION',
  'BENEFICIARY_VERIFICATION',
  'DOCUMENT',
  'TRANSFER_IN',
  'TRANSFER_OUT',
  'QUOTE_TO_EXTERNAL_ACCOUNT',
  'QUOTE_FROM_EXTERNAL_ACCOUNT',
  'SCREENED_ADDRESS',
  'QUOTE_TO_UMA_ADDRESS',
  'UMA_RECEIVER',
  'UMA_SENDER',
  'ONE_TIME_CODE',
  'CONTACT_CODE',
  'WALLET_SIGNATURE',
  'PASSKEY_SIGNATURE',
  'CARD',
  'CARD_PURCHASE',
  'STABLECOIN_ACCOUNT',
] as const

/** A value that controls the sandbox, and its effect. */
export const MagicValue = Type.Object({
  suffix: Type.Optional(Type.String({ description: 'The last characters of the given value' })),
  value: Type.Optional(Type.String({ description: 'The whole given value' })),
  outcome: Type.String({ description: 'The resulting status; ACCEPTED for a code or a signature' }),
  failureReason: Type.Optional(Type.String({ description: 'The failure reason of the transaction' })),
  refundStatus: Type.Optional(Type.String({ description: "The status of the transaction's refund" })),
  afterSeconds: Type.Optional(
    Type.Integer({ minimum: 0, description: "The seconds until it happens, by the platform's clock" }),
  ),
  meaning: Type.String(),
})

/** A group of values: the fields that accept them, and what each value does. */
export const MagicValueFamily = Type.Object({
  family: OneOfWords(MAGIC_VALUE_FAMILIES),
  appliesTo: Type.String({ description: 'The behavior that the values control' }),
  places: Type.Array(Type.String(), { description: 'The fields that accept the value' }),
  values: Type.Array(MagicValue),
  otherwise: Type.String({ description: 'The effect of any other value' }),
})

/** Everything that can control the sandbox (specification 4.16, 5.6). */
export const sandbox_magic_value_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/sandbox/magic-values',
  tag: 'Sandbox',
  summary: 'List the magic values',
  description:
    'Lists the account numbers, amounts, addresses and names that control the behavior of the sandbox. ' +
    'They come from the lookup tables that the sandbox itself uses.',
  sandboxOnly: true,
  responses: { 200: Type.Object({ data: Type.Array(MagicValueFamily) }) },
  errors: [],
})

/** The state of a platform after a reset. */
export const SandboxReset = Type.Object({
  platformId: Id('Platform', 'The id of the empty platform, which differs from the previous one'),
  now: Timestamp('The current time, which is real time again'),
})

/** Deletes all of the platform's data except its settings and tokens. */
export const sandbox_reset = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/sandbox/reset',
  tag: 'Sandbox',
  summary: 'Reset the platform',
  description:
    'Deletes all data of the platform. An empty platform replaces it, with the same name, settings, API ' +
    'tokens and webhook secrets. Customers, accounts, payments, events, messages and idempotency keys ' +
    'are permanently removed, pending jobs are discarded, and the clock returns to real time. Of several ' +
    'concurrent resets, one succeeds; the others may return 409.',
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
