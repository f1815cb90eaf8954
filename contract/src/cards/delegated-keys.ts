import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Text, Timestamp } from '../core/schema.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { DELEGATED_KEY_STATES } from '../states/card-states.ts'

/** An enclave key that may sign payments from one embedded wallet for one card. */
export const DelegatedKey = Type.Object({
  id: Id('DelegatedKey'),
  cardId: Id('Card'),
  fundingSourceId: Id('InternalAccount', 'The account that the key may spend from'),
  accountId: Id('InternalAccount', 'The wallet whose holder authorized the key'),
  publicKey: Type.String({ pattern: '^[0-9a-f]{66}$', description: 'Compressed SEC1 P-256, in hex' }),
  nickname: Text(256),
  status: OneOfWords(DELEGATED_KEY_STATES),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const DelegatedKeyCreateRequest = Type.Object({
  cardId: Id('Card'),
  internalAccountId: Id('InternalAccount', "An embedded wallet among the card's funding sources"),
  nickname: Text(256),
})

const tag = 'Delegated keys'
const keyPath = Type.Object({ id: PathId })

/** Allows the enclave to sign payments for a card. The customer authorizes this with a signed retry. */
export const delegated_key_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/auth/delegated-keys',
  tag,
  summary: 'Authorize a key for a card',
  description:
    'Lets the server sign for the wallet, only for purchases with one card. Signed by a session of the ' +
    'wallet. Without an ACTIVE key, an embedded wallet cannot pay for a card.',
  signed: true,
  body: DelegatedKeyCreateRequest,
  responses: { 201: DelegatedKey, 202: SignedRequestChallenge },
  errors: [
    'INVALID_INPUT',
    'FUNDING_SOURCE_INELIGIBLE',
    'ACCOUNT_NOT_FOUND',
    'CARD_NOT_FOUND',
    'DELEGATED_KEY_ALREADY_EXISTS',
  ],
})

export const delegated_key_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/auth/delegated-keys',
  tag,
  summary: 'List keys for cards',
  description:
    'Lists the keys that sign card purchases for wallets, newest first, with their cards and accounts.',
  query: Type.Object({
    accountId: Type.Optional(Id('InternalAccount')),
    fundingSourceId: Type.Optional(Id('InternalAccount')),
  }),
  responses: { 200: Type.Object({ data: Type.Array(DelegatedKey) }) },
  errors: ['INVALID_INPUT'],
})

export const delegated_key_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/auth/delegated-keys/{id}',
  tag,
  summary: 'Read a key for a card',
  description: 'Shows one key: its card, its wallet, and whether it still signs.',
  params: keyPath,
  responses: { 200: DelegatedKey },
  errors: ['DELEGATED_KEY_NOT_FOUND'],
})

/** Revokes a key immediately. Removing a permission needs no signature. */
export const delegated_key_delete = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'DELETE',
  path: '/auth/delegated-keys/{id}',
  tag,
  summary: 'Revoke a key for a card',
  description:
    'Revokes a key immediately, so that the card can no longer pay from the wallet. Revoking a key needs ' +
    'no signature.',
  params: keyPath,
  responses: { 204: null },
  errors: ['DELEGATED_KEY_NOT_FOUND'],
})

export const delegatedKeys = {
  delegated_key_create,
  delegated_key_list,
  delegated_key_get,
  delegated_key_delete,
}
