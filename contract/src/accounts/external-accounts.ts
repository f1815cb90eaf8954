import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text } from '../core/schema.ts'
import { EXTERNAL_ACCOUNT_STATUSES } from '../states/account-change-states.ts'
import { ACCOUNT_VERIFICATION_STATES } from '../states/account-verification-states.ts'
import { ExternalAccountCreateInfo, ExternalAccountInfo } from './account-types.ts'

export const BENEFICIARY_VERIFICATION_STATUSES = [
  'MATCHED',
  'PARTIAL_MATCH',
  'NOT_MATCHED',
  'UNSUPPORTED',
  'CHECKED_BY_RECEIVING_FI',
  'PENDING',
] as const

const sharedFields = {
  currency: CurrencyCode,
  platformAccountId: Type.Optional(Text(255, { description: "The platform's own id of this account" })),
}

const customerFields = {
  customerId: Type.Optional(Id('Customer', 'The owner of the account, unless it is the platform itself')),
  ...sharedFields,
  defaultUmaDepositAccount: Type.Optional(
    Type.Boolean({
      description: "True: payments to the customer's UMA address are forwarded to this account",
    }),
  ),
}

export const ExternalAccountCreateRequest = Type.Object({
  ...customerFields,
  accountInfo: ExternalAccountCreateInfo,
})

export const PlatformExternalAccountCreateRequest = Type.Object({
  ...sharedFields,
  accountInfo: ExternalAccountCreateInfo,
})

export const ExternalAccount = Type.Object({
  id: Id('ExternalAccount'),
  status: OneOfWords(
    EXTERNAL_ACCOUNT_STATUSES,
    'UNDER_REVIEW: a rail reported different details; new payments are blocked until the change in `GET ' +
      "/account-changes` is decided. INACTIVE: the account's bank refuses payments; new payments are " +
      'blocked',
  ),
  statusReason: Type.Optional(Text(500, { description: "The bank's reason, if INACTIVE" })),
  ...customerFields,
  beneficiaryVerificationStatus: Type.Optional(OneOfWords(BENEFICIARY_VERIFICATION_STATUSES)),
  verificationStatus: Type.Optional(
    OneOfWords(
      ACCOUNT_VERIFICATION_STATES,
      'The latest verification by two deposits: see `POST /account-verifications`. Changed account details end it',
    ),
  ),
  beneficiaryVerifiedData: Type.Optional(Type.Object({ fullName: Type.Optional(Text(255)) })),
  accountInfo: ExternalAccountInfo,
})

const accountPath = Type.Object({ externalAccountId: PathId })

export const customer_external_account_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  customerToken: true,
  method: 'POST',
  path: '/customers/external-accounts',
  tag: 'External accounts',
  summary: "Add a customer's external account",
  description:
    "Adds an account to which a customer's money can be sent, or from which it can be pulled: a bank " +
    'account, a mobile money account or an address on a chain. Its details are checked against the rules ' +
    'of its country. Use the returned id in quotes and transfers. Without customerId the account belongs ' +
    'to the platform itself, as with POST /platform/external-accounts.',
  idempotent: true,
  body: ExternalAccountCreateRequest,
  bodyBytesMax: 16 * KIB,
  responses: { 201: ExternalAccount },
  errors: [
    'INVALID_INPUT',
    'INVALID_BANK_ACCOUNT',
    'INVALID_CURRENCY',
    'USER_NOT_FOUND',
    'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
    'CUSTOMER_DELETED',
  ],
})

export const customer_external_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/customers/external-accounts',
  tag: 'External accounts',
  summary: "List customers' external accounts",
  description:
    'Lists the external accounts of customers, by customer and currency. Removed accounts are not ' +
    'included.',
  query: Type.Object({
    currency: Type.Optional(CurrencyCode),
    customerId: Type.Optional(Id('Customer')),
    ...pageQuery,
  }),
  responses: { 200: Page(ExternalAccount) },
  errors: ['INVALID_INPUT'],
})

export const customer_external_account_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/customers/external-accounts/{externalAccountId}',
  tag: 'External accounts',
  summary: "Read a customer's external account",
  description:
    'Shows the details of an account and whether it can be used. Also reads the ' +
    "platform's own external accounts.",
  params: accountPath,
  responses: { 200: ExternalAccount },
  errors: ['ACCOUNT_NOT_FOUND'],
})

/** Payments already in progress are not affected. */
export const customer_external_account_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  customerToken: true,
  method: 'DELETE',
  path: '/customers/external-accounts/{externalAccountId}',
  tag: 'External accounts',
  summary: "Remove a customer's external account",
  description:
    'Removes an account, so that no new payment can use it. Payments in progress are not affected. Also ' +
    "removes the platform's own external accounts.",
  params: accountPath,
  responses: { 204: null },
  errors: ['ACCOUNT_NOT_FOUND'],
})

/** An account that belongs to the platform itself and receives the platform's own money. */
export const platform_external_account_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/platform/external-accounts',
  tag: 'External accounts',
  summary: "Add the platform's own external account",
  description:
    'Adds an account of the platform itself, to which its own money can be paid out. It has no customer.',
  idempotent: true,
  body: PlatformExternalAccountCreateRequest,
  bodyBytesMax: 16 * KIB,
  responses: { 201: ExternalAccount },
  errors: ['INVALID_INPUT', 'INVALID_BANK_ACCOUNT', 'INVALID_CURRENCY', 'EXTERNAL_ACCOUNT_ALREADY_EXISTS'],
})

export const platform_external_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/external-accounts',
  tag: 'External accounts',
  summary: "List the platform's own external accounts",
  description: 'Lists the external accounts of the platform itself, by currency.',
  query: Type.Object({ currency: Type.Optional(CurrencyCode), ...pageQuery }),
  responses: { 200: Page(ExternalAccount) },
  errors: ['INVALID_INPUT'],
})

export const platform_external_account_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/external-accounts/{externalAccountId}',
  tag: 'External accounts',
  summary: "Read the platform's own external account",
  description: "Shows one external account of the platform, by its id. Customers' accounts return 404.",
  params: accountPath,
  responses: { 200: ExternalAccount },
  errors: ['ACCOUNT_NOT_FOUND'],
})

/** Payments already in progress are not affected. */
export const platform_external_account_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/platform/external-accounts/{externalAccountId}',
  tag: 'External accounts',
  summary: "Remove the platform's own external account",
  description: 'Removes an account of the platform itself. Payments in progress are not affected.',
  params: accountPath,
  responses: { 204: null },
  errors: ['ACCOUNT_NOT_FOUND'],
})

export const externalAccounts = {
  customer_external_account_create,
  customer_external_account_list,
  customer_external_account_get,
  customer_external_account_delete,
  platform_external_account_create,
  platform_external_account_list,
  platform_external_account_get,
  platform_external_account_delete,
}
