import { Type } from 'typebox'
import { CHANGED_FIELDS_MAX, changedField } from '../accounts/account-changes.ts'
import { FAILURE_EVENT_TYPES, PROGRESS_EVENT_TYPES } from '../connectors/events.ts'
import { RailEvent } from '../connectors/rail-events.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Prose, Text } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { Deposit } from '../payments/deposits.ts'

export const SandboxDepositRequest = Type.Object({
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of the currency' }),
  currency: CurrencyCode,
  accountId: Type.Optional(
    Id(
      'InternalAccount',
      'The account whose own number receives the payment. Default: the number shared by all payers',
    ),
  ),
  remittanceInformation: Type.Optional(
    Prose(500, { description: "The payer's message: the reference of a quote pays that quote" }),
  ),
  reference: Type.Optional(
    Plain(
      Text(14, {
        description: 'The reference of a quote that the payer states, in addition to remittanceInformation',
      }),
    ),
  ),
  sender: Type.Optional(
    Type.Object({
      name: Type.Optional(Text(255)),
      accountIdentifier: Type.Optional(Text(255)),
      bankName: Type.Optional(Text(255)),
      bankIdentifier: Type.Optional(Text(255)),
    }),
  ),
})

/** Simulates a payment by an external payer, as a bank would report it in production. */
export const sandbox_deposit = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/deposits',
  tag: 'Sandbox',
  summary: 'Simulate a deposit',
  description:
    'Simulates a payment from another bank. As in production, it is matched to an account or a quote, ' +
    'needs your approval if you have a webhook endpoint, or stays in suspense. An unknown reference is ' +
    'rejected; in remittanceInformation, it leads to suspense.',
  sandboxOnly: true,
  idempotent: true,
  body: SandboxDepositRequest,
  responses: { 201: Deposit },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'ACCOUNT_NOT_FOUND',
    'REFERENCE_NOT_FOUND',
    'AMOUNT_OUT_OF_RANGE',
  ],
})

/** Simulates the reversal of a deposit by the payer's bank. */
export const sandbox_deposit_reverse = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/deposits/{depositId}/reverse',
  tag: 'Sandbox',
  summary: 'Reverse a deposit',
  description: "Simulates the payer's bank taking back the money of a deposit.",
  sandboxOnly: true,
  params: Type.Object({ depositId: PathId }),
  responses: { 200: Deposit },
  errors: ['DEPOSIT_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const SandboxRailEventRequest = Type.Object({
  type: OneOfWords([...FAILURE_EVENT_TYPES, ...PROGRESS_EVENT_TYPES, 'account.changed'], "The bank's report"),
  paymentId: Text(255, {
    description: 'The payment that the report names: the id of a transaction, or an unknown name',
  }),
  message: Prose(500, { description: "The bank's message, shown with a failed payment" }),
  changes: Type.Optional(
    Type.Array(Type.Object({ field: changedField, value: Text(255) }), {
      minItems: 1,
      maxItems: CHANGED_FIELDS_MAX,
      description:
        'For `account.changed`: the changed details of the account to which the payment went, or from which it was pulled',
    }),
  ),
  code: Type.Optional(
    Plain(Text(10, { description: "For `account.changed`: the bank's code, such as C01" })),
  ),
})

/** A simulated rail report, and what it caused. */
export const SandboxRailEvent = Type.Object({
  ...RailEvent.properties,
  status: OneOfWords(
    ['APPLIED', 'WAITING'],
    'APPLIED: it took effect, or was already known. WAITING: it needs manual review, in `GET /rail-events`',
  ),
  reason: Type.Optional(RailEvent.properties.reason),
})

/** Simulates an unsolicited report about a payment by the sandbox's bank. */
export const sandbox_rail_event = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/sandbox/rail-events',
  tag: 'Sandbox',
  summary: 'Simulate a bank report',
  description:
    "Simulates a bank's report about a payment. It takes effect as in production: a return reverses a " +
    'delivered payment, and a report that cannot be attributed is listed in `GET /rail-events`. ' +
    '`account.changed` with changes is a notification of change, which is listed in `GET ' +
    '/account-changes`.',
  sandboxOnly: true,
  body: SandboxRailEventRequest,
  bodyBytesMax: 20_480,
  responses: { 201: SandboxRailEvent },
  errors: ['INVALID_INPUT'],
})

export const sandboxDeposits = { sandbox_deposit, sandbox_deposit_reverse, sandbox_rail_event }
