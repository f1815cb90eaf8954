import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode, TimeOfDay, TimeZoneName } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { TRANSACTION_STATUSES } from '../payments/transactions.ts'
import { REMITTANCE_CHARACTERS_MAX, TransferRefusal } from '../payments/transfers.ts'
import { OWN_ACCOUNT_STATES, PLATFORM_WITHDRAWAL_STATES } from '../states/own-money-states.ts'

const TAG = 'Own money'

export const WITHDRAWAL_SOURCES = ['FEES', 'OWN_CAPITAL', 'ALL'] as const
export type WithdrawalSource = (typeof WITHDRAWAL_SOURCES)[number]

const VOTES = 'If the platform has set approvalsRequired, only members can approve, and each counts once.'

const source = OneOfWords(
  WITHDRAWAL_SOURCES,
  "FEES: the fees that were charged. OWN_CAPITAL: the platform's account. ALL: the fees first, then the account",
)
const reason = Prose(500, { description: 'Stored with the record' })

export const OWN_ACCOUNT_PURPOSES = ['OWN_MONEY', 'COLD_STORAGE'] as const

export const SweepRule = Type.Object({
  source,
  minimum: Int64({
    minimum: 0,
    description: 'The balance that stays with the platform, in the smallest unit',
  }),
  time: TimeOfDay('The time of the daily sweep, in timeZone'),
  timeZone: TimeZoneName('The IANA name of the time zone'),
})

export const SweepRuleRequest = Type.Object({
  source,
  minimum: Type.Optional(
    Int64({
      minimum: 0,
      description: 'The balance that stays with the platform, in the smallest unit. Default: 0',
    }),
  ),
  time: Type.Optional(TimeOfDay('The time of the daily sweep, in timeZone. Default: 18:00')),
  timeZone: Type.Optional(TimeZoneName('The IANA name of the time zone. Default: UTC')),
})

const needsApproval = Type.Optional(
  Type.Boolean({
    description: 'True: requires an approval even if the platform has not set approvalsRequired',
  }),
)

export const OwnAccountRequest = Type.Object({
  externalAccountId: Id('ExternalAccount', 'An external account of the platform itself'),
  purpose: Type.Optional(
    OneOfWords(
      OWN_ACCOUNT_PURPOSES,
      'OWN_MONEY (default): fees and own capital are paid to it. COLD_STORAGE: an address on a chain, ' +
        'whose key the operator keeps, to which the treasury of the chain sends money. That money stays in ' +
        'the ledger',
    ),
  ),
  reason,
  sweep: Type.Optional(SweepRuleRequest),
  needsApproval,
})

/** An external account of the operator, to which and from which its own money moves. */
export const OwnAccount = Type.Object({
  id: Id('OwnAccount'),
  status: OneOfWords(
    OWN_ACCOUNT_STATES,
    'AWAITING_APPROVAL: members must approve it first. REMOVED: it receives no more payments',
  ),
  externalAccountId: Id('ExternalAccount'),
  currency: CurrencyCode,
  account: Text(255, { description: "The account's type and last four characters" }),
  address: Type.Optional(Text(42, { description: 'The full address, for cold storage only' })),
  purpose: OneOfWords(
    OWN_ACCOUNT_PURPOSES,
    'OWN_MONEY: withdrawals are paid to it. COLD_STORAGE: the treasury of a chain sends money to it and receives it back',
  ),
  reason,
  sweep: Type.Optional(SweepRule),
  nextSweepAt: Type.Optional(Timestamp('The next sweep of an ACTIVE account')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const PlatformWithdrawalRequest = Type.Object({
  ownAccountId: Id('OwnAccount', 'The account to pay. It must be ACTIVE'),
  source,
  amount: Int64({ exclusiveMinimum: 0, description: "In the smallest unit of the account's currency" }),
  reason,
  remittanceInformation: Type.Optional(
    Text(REMITTANCE_CHARACTERS_MAX, { description: 'Sent with the payment' }),
  ),
  needsApproval,
})

/** A payment of the operator's own money to one of its registered accounts. */
export const PlatformWithdrawal = Type.Object({
  id: Id('PlatformWithdrawal'),
  status: OneOfWords(
    PLATFORM_WITHDRAWAL_STATES,
    'AWAITING_APPROVAL: members must approve it first. SENT: its payment was accepted; transactionStatus has its state. FAILED: a sweep was refused',
  ),
  ownAccountId: Id('OwnAccount'),
  source,
  amount: CurrencyAmount,
  reason,
  remittanceInformation: Type.Optional(Text(REMITTANCE_CHARACTERS_MAX)),
  isSweep: Type.Boolean({ description: "True if the account's sweep rule created it" }),
  transactionId: Type.Optional(Id('Transaction', 'The payment')),
  transactionStatus: Type.Optional(OneOfWords(TRANSACTION_STATUSES)),
  error: Type.Optional(TransferRefusal),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const ownAccountPath = Type.Object({ ownAccountId: PathId })
const withdrawalPath = Type.Object({ platformWithdrawalId: PathId })

export const own_account_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/platform/own-accounts',
  tag: TAG,
  summary: 'Register an account of the operator',
  description:
    'Registers an external account of the platform as one that the operator itself holds. Withdrawals go ' +
    'only to such accounts. Money that arrives from such an account and names no other account or quote ' +
    "is credited to the platform's account. With sweep, the balance above the minimum is paid out each " +
    'day. If the platform has set approvalsRequired, or needsApproval is true, the account is ' +
    'AWAITING_APPROVAL until members have approved it and its rule. With purpose COLD_STORAGE, it is an ' +
    'address for the treasury of a chain: its spelling must have a checksum, and addresses of customers ' +
    'and of this server are rejected.',
  idempotent: true,
  body: OwnAccountRequest,
  responses: { 201: OwnAccount },
  errors: [
    'INVALID_INPUT',
    'ACCOUNT_NOT_FOUND',
    'OWN_ACCOUNT_ALREADY_EXISTS',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const own_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/own-accounts',
  tag: TAG,
  summary: 'List the accounts of the operator',
  description: "Lists the operator's registered accounts with their sweeps, newest first.",
  query: Type.Object({ status: Type.Optional(OneOfWords(OWN_ACCOUNT_STATES)), ...pageQuery }),
  responses: { 200: Page(OwnAccount) },
  errors: ['INVALID_INPUT'],
})

export const own_account_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/own-accounts/{ownAccountId}',
  tag: TAG,
  summary: 'Read an account of the operator',
  description: 'Shows a registered account with its rule and the next sweep.',
  params: ownAccountPath,
  responses: { 200: OwnAccount },
  errors: ['OWN_ACCOUNT_NOT_FOUND'],
})

export const own_account_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/platform/own-accounts/{ownAccountId}/approve',
  tag: TAG,
  summary: 'Approve an account of the operator',
  description: `Approves an account that is AWAITING_APPROVAL. The last approval that the platform requires makes it ACTIVE. ${VOTES}`,
  idempotent: true,
  params: ownAccountPath,
  responses: { 200: OwnAccount },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'ACCOUNT_NOT_FOUND',
    'OWN_ACCOUNT_NOT_FOUND',
    'INVALID_STATE_TRANSITION',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const own_account_remove = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/platform/own-accounts/{ownAccountId}/remove',
  tag: TAG,
  summary: 'Remove an account of the operator',
  description:
    "Ends an account's registration and its sweeps. Withdrawals that were already sent continue. To " +
    'change a rule, remove the account and register it again.',
  idempotent: true,
  params: ownAccountPath,
  responses: { 200: OwnAccount },
  errors: ['OWN_ACCOUNT_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

const PAYMENT_ERRORS = [
  'INVALID_AMOUNT',
  'INVALID_CURRENCY',
  'AMOUNT_OUT_OF_RANGE',
  'INSUFFICIENT_BALANCE',
  'ACCOUNT_NOT_FOUND',
  'EXTERNAL_ACCOUNT_UNDER_REVIEW',
  'EXTERNAL_ACCOUNT_INACTIVE',
  'USER_NOT_READY',
  'CUSTOMER_DELETED',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
] as const

/** Pays fees or own capital to one of the operator's registered accounts. */
export const platform_withdrawal_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/platform/withdrawals',
  tag: TAG,
  summary: "Withdraw the operator's own money",
  description:
    'Pays fees or own capital to a registered account of the operator. The payment is a transfer out of ' +
    "the platform's account, with the limits and errors of POST /transfer-out; fees first move to that " +
    "account, in the same commit. The balance of the source is the limit: customers' money is never " +
    'touched. If the platform has set approvalsRequired, or needsApproval is true, the withdrawal is ' +
    'AWAITING_APPROVAL, and nothing is held, until members have approved it.',
  idempotent: true,
  body: PlatformWithdrawalRequest,
  responses: { 201: PlatformWithdrawal },
  errors: ['INVALID_INPUT', 'OWN_ACCOUNT_NOT_FOUND', ...PAYMENT_ERRORS],
})

export const platform_withdrawal_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/withdrawals',
  tag: TAG,
  summary: 'List withdrawals',
  description: "Lists withdrawals and sweeps of the operator's own money, newest first.",
  query: Type.Object({ status: Type.Optional(OneOfWords(PLATFORM_WITHDRAWAL_STATES)), ...pageQuery }),
  responses: { 200: Page(PlatformWithdrawal) },
  errors: ['INVALID_INPUT'],
})

export const platform_withdrawal_csv = fileOfList(platform_withdrawal_list, 'withdrawals')

export const platform_withdrawal_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/withdrawals/{platformWithdrawalId}',
  tag: TAG,
  summary: 'Read a withdrawal',
  description: 'Shows a withdrawal with its reason and the state of its payment.',
  params: withdrawalPath,
  responses: { 200: PlatformWithdrawal },
  errors: ['PLATFORM_WITHDRAWAL_NOT_FOUND'],
})

export const platform_withdrawal_approve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/platform/withdrawals/{platformWithdrawalId}/approve',
  tag: TAG,
  summary: 'Approve a withdrawal',
  description: `Approves a withdrawal that is AWAITING_APPROVAL. The last approval that the platform requires sends its payment. ${VOTES}`,
  idempotent: true,
  params: withdrawalPath,
  responses: { 200: PlatformWithdrawal },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'OWN_ACCOUNT_NOT_FOUND',
    'PLATFORM_WITHDRAWAL_NOT_FOUND',
    'INVALID_STATE_TRANSITION',
    ...PAYMENT_ERRORS,
  ],
})

export const platform_withdrawal_cancel = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/platform/withdrawals/{platformWithdrawalId}/cancel',
  tag: TAG,
  summary: 'Cancel a withdrawal',
  description: 'Ends a withdrawal that is AWAITING_APPROVAL. Nothing is paid.',
  idempotent: true,
  params: withdrawalPath,
  responses: { 200: PlatformWithdrawal },
  errors: ['PLATFORM_WITHDRAWAL_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const ownMoney = {
  own_account_create,
  own_account_list,
  own_account_get,
  own_account_approve,
  own_account_remove,
  platform_withdrawal_create,
  platform_withdrawal_list,
  platform_withdrawal_csv,
  platform_withdrawal_get,
  platform_withdrawal_approve,
  platform_withdrawal_cancel,
}
