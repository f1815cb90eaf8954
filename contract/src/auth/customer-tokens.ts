import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'

/** Permissions that a customer token can have. It never gives access to another customer. */
export const CUSTOMER_PERMISSIONS = ['VIEW', 'TRANSACT', 'MANAGE'] as const
export type CustomerPermission = (typeof CUSTOMER_PERMISSIONS)[number]

/** Maximum and default lifetime of a customer token. */
export const CUSTOMER_TOKEN_SECONDS_MAX = 60 * 60
export const CUSTOMER_TOKEN_SECONDS = 15 * 60

const Permissions = Type.Array(OneOfWords(CUSTOMER_PERMISSIONS), {
  minItems: 1,
  maxItems: CUSTOMER_PERMISSIONS.length,
  uniqueItems: true,
  description:
    "VIEW reads, TRANSACT signs the customer in and moves the customer's money, MANAGE adds and removes external accounts",
})

/** A bearer token for a customer's own device. */
export const CustomerToken = Type.Object({
  id: Id('CustomerToken'),
  customerId: Id('Customer'),
  permissions: Permissions,
  accessToken: Secret(Type.String({ description: 'The bearer token. No other response contains it' })),
  expiresAt: Timestamp(),
  createdAt: Timestamp(),
})

export const CustomerTokenCreateRequest = Type.Object({
  customerId: Id('Customer', 'The customer whom your backend has authenticated'),
  permissions: Permissions,
  expiresAt: Type.Optional(Timestamp('At most one hour from now. Default: 15 minutes from now')),
})

export const customer_token_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'POST',
  path: '/customer-tokens',
  tag: "Customers' tokens",
  summary: "Create a customer's token",
  description:
    'Creates a token with which a page or an app calls the API as `Authorization: Bearer`. It gives ' +
    "access only to this customer's wallet, accounts, quotes, transactions and cards. A token cannot " +
    'grant a permission that the calling token lacks. Takes no Idempotency-Key: a stored response would ' +
    'contain the secret.',
  body: CustomerTokenCreateRequest,
  responses: { 201: CustomerToken },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'USER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

/** Revokes a customer token immediately. */
export const customer_token_delete = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  method: 'DELETE',
  path: '/customer-tokens/{customerTokenId}',
  tag: "Customers' tokens",
  summary: "Delete a customer's token",
  description:
    'Revokes a token immediately: requests with it return 401. Use it when the customer signs out of ' +
    'your app. Wallet sessions continue until you revoke them separately.',
  params: Type.Object({ customerTokenId: PathId }),
  responses: { 204: null },
  errors: ['TOKEN_NOT_FOUND'],
})

export const customerTokens = { customer_token_create, customer_token_delete }
