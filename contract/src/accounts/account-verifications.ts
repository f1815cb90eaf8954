import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Timestamp } from '../core/schema.ts'
import { ACCOUNT_VERIFICATION_STATES } from '../states/account-verification-states.ts'

const TAG = 'External accounts'

/** The maximum amount of each deposit, in cents. */
export const DEPOSIT_CENTS_MAX = 99
export const VERIFICATION_ATTEMPTS = 3
/**
 * The maximum number of verifications for each bank account, and for each customer, within a number of days.
 */
export const VERIFICATION_STARTS = { max: 3, ofCustomerMax: 10, days: 30 } as const

export const VERIFICATION_FAILURES = [
  'DEPOSIT_FAILED',
  'WRONG_AMOUNTS',
  'ACCOUNT_CHANGED',
  'ACCOUNT_REMOVED',
] as const

export const AccountVerificationStatus = OneOfWords(
  ACCOUNT_VERIFICATION_STATES,
  'PENDING: the amounts are not confirmed yet. FAILED: see `failureReason`. EXPIRED: the amounts were not confirmed in time',
)

/** Proof that an external account belongs to its customer, by the amounts of two small deposits. */
export const AccountVerification = Type.Object({
  id: Id('AccountVerification'),
  status: AccountVerificationStatus,
  externalAccountId: Id('ExternalAccount'),
  customerId: Id('Customer', 'The owner of the account'),
  sourceAccountId: Id('InternalAccount', "The platform's account that pays the deposits"),
  transactionIds: Type.Array(Id('Transaction'), {
    description: 'The two deposits. The amounts are secret: never show them to the customer',
  }),
  attemptsLeft: Type.Integer({ minimum: 0, maximum: VERIFICATION_ATTEMPTS }),
  failureReason: Type.Optional(
    OneOfWords(
      VERIFICATION_FAILURES,
      'DEPOSIT_FAILED: a deposit failed or was returned. WRONG_AMOUNTS: all attempts were wrong. ACCOUNT_CHANGED: the account details have changed',
    ),
  ),
  message: Type.Optional(
    Prose(1000, { description: "The bank's reason, if a deposit failed or was returned" }),
  ),
  expiresAt: Type.Optional(Timestamp('10 days after both deposits were delivered. Absent until then')),
  verifiedAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const verificationPath = Type.Object({ accountVerificationId: PathId })

export const AccountVerificationCreateRequest = Type.Object({
  externalAccountId: Id(
    'ExternalAccount',
    'A US bank account of a customer, with account and routing number',
  ),
  sourceAccountId: Type.Optional(
    Id('InternalAccount', "One of the platform's USD accounts. Default: the platform's own USD account"),
  ),
})

const cents = Int64({ minimum: 1, maximum: DEPOSIT_CENTS_MAX })

export const AccountVerificationConfirmRequest = Type.Object({
  amounts: Type.Array(cents, {
    minItems: 2,
    maxItems: 2,
    description: 'The amounts of the two deposits in cents, in any order',
  }),
})

export const account_verification_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/account-verifications',
  tag: TAG,
  summary: 'Verify an external account with two deposits',
  description:
    "Sends two different amounts of 1 to 99 cents from a platform account to a customer's US bank " +
    'account. The customer reads them on the bank statement, which proves access to the account. The ' +
    'deposits are outgoing ACH payments. Confirm the amounts within 10 days of their delivery. A bank ' +
    'account can be verified 3 times in 30 days, across all customers that have it, and a customer has ' +
    '10 verifications in 30 days.',
  idempotent: true,
  body: AccountVerificationCreateRequest,
  responses: { 201: AccountVerification },
  errors: [
    'INVALID_INPUT',
    'INVALID_CURRENCY',
    'INSUFFICIENT_BALANCE',
    'ACCOUNT_NOT_FOUND',
    'ACCOUNT_VERIFICATION_EXISTS',
    'ACCOUNT_VERIFICATION_LIMIT_REACHED',
    'EXTERNAL_ACCOUNT_UNDER_REVIEW',
    'EXTERNAL_ACCOUNT_INACTIVE',
    'USER_NOT_FOUND',
    'USER_NOT_READY',
    'CUSTOMER_DELETED',
  ],
})

export const account_verification_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/account-verifications',
  tag: TAG,
  summary: 'List verifications of external accounts',
  description: 'Lists verifications by account, customer and status, newest first.',
  query: Type.Object({
    externalAccountId: Type.Optional(Id('ExternalAccount')),
    customerId: Type.Optional(Id('Customer')),
    status: Type.Optional(OneOfWords(ACCOUNT_VERIFICATION_STATES)),
    ...pageQuery,
  }),
  responses: { 200: Page(AccountVerification) },
  errors: ['INVALID_INPUT'],
})

export const account_verification_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/account-verifications/{accountVerificationId}',
  tag: TAG,
  summary: 'Read a verification of an external account',
  description: 'Shows the status, the remaining attempts and, if it failed, the reason.',
  params: verificationPath,
  responses: { 200: AccountVerification },
  errors: ['ACCOUNT_VERIFICATION_NOT_FOUND'],
})

export const account_verification_confirm = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/account-verifications/{accountVerificationId}/confirm',
  tag: TAG,
  summary: 'Confirm the amounts of two deposits',
  description:
    'Checks the amounts that the customer has read on the statement, in any order. The response has the ' +
    'result: VERIFIED, PENDING with one attempt fewer, or FAILED after the last attempt. Possible once ' +
    'the rail has sent both deposits.',
  idempotent: true,
  params: verificationPath,
  body: AccountVerificationConfirmRequest,
  responses: { 200: AccountVerification },
  errors: ['INVALID_INPUT', 'ACCOUNT_VERIFICATION_NOT_FOUND', 'CUSTOMER_DELETED', 'INVALID_STATE_TRANSITION'],
})

export const accountVerifications = {
  account_verification_create,
  account_verification_list,
  account_verification_get,
  account_verification_confirm,
}
