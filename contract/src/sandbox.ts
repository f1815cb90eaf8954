import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { PathId } from './ids.ts'
import { InternalAccount } from './internal-accounts.ts'
import { Int64, Timestamp } from './schema.ts'

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

/** Puts money into an account out of nothing, at once (specification 4.13). */
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
  errors: ['INVALID_INPUT', 'INVALID_AMOUNT', 'AMOUNT_OUT_OF_RANGE', 'FORBIDDEN', 'ACCOUNT_NOT_FOUND'],
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
  description: 'Give either seconds or to. Quotes, sessions and codes expire and payments settle on the way.',
  sandboxOnly: true,
  body: SandboxClockAdvanceRequest,
  responses: { 200: SandboxClock },
  errors: ['INVALID_INPUT'],
})
