import { Type } from 'typebox'
import { endpoint, PERMISSIONS } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp, timeRangeQuery } from '../core/schema.ts'
import { Plain, Secret } from '../core/sensitivity.ts'

const Permissions = Type.Array(OneOfWords(PERMISSIONS), {
  minItems: 1,
  maxItems: PERMISSIONS.length,
  uniqueItems: true,
  description: 'VIEW reads, TRANSACT moves money and signs customers in, MANAGE changes records and settings',
})

/** The credentials of a platform's backend (specification 5.1). */
export const ApiToken = Type.Object({
  id: Id('Token'),
  name: Plain(Text(255)),
  permissions: Permissions,
  clientId: Plain(Type.String({ description: 'The user name for HTTP Basic authentication' })),
  clientSecret: Type.Optional(
    Secret(
      Type.String({
        description: 'The password for HTTP Basic authentication. Returned only when the token is created',
      }),
    ),
  ),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const TokenCreateRequest = Type.Object({ name: Plain(Text(255)), permissions: Permissions })

const tokenPath = Type.Object({ tokenId: PathId })

/** Creates a token. Its secret is only in this response. */
export const token_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/tokens',
  tag: 'API tokens',
  summary: 'Create a token',
  description:
    'Creates credentials with which a backend calls the API: clientId and clientSecret. No other ' +
    'response shows the secret. A token cannot grant a permission that the calling token lacks. Takes no ' +
    'Idempotency-Key: a stored response would contain the secret.',
  body: TokenCreateRequest,
  responses: { 201: ApiToken },
  errors: ['INVALID_INPUT', 'FORBIDDEN'],
})

export const token_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/tokens',
  tag: 'API tokens',
  summary: 'List the tokens',
  description:
    'Lists the name and the permissions of every token, newest first, without secrets. Use it to see ' +
    'which backends can call.',
  query: Type.Object({
    name: Type.Optional(Plain(Text(255, { description: 'The exact name' }))),
    ...timeRangeQuery,
    ...pageQuery,
  }),
  responses: { 200: Page(ApiToken) },
  errors: ['INVALID_INPUT'],
})

export const token_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/tokens/{tokenId}',
  tag: 'API tokens',
  summary: 'Read a token',
  description: 'Shows one token by its id, without its secret. A deleted token returns 404.',
  params: tokenPath,
  responses: { 200: ApiToken },
  errors: ['TOKEN_NOT_FOUND'],
})

/** Revokes a token immediately. */
export const token_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/tokens/{tokenId}',
  tag: 'API tokens',
  summary: 'Delete a token',
  description:
    'Revokes a token immediately. Later requests with it return 401. The last token that can manage ' +
    'tokens cannot be deleted.',
  params: tokenPath,
  responses: { 204: null },
  errors: ['INVALID_INPUT', 'TOKEN_NOT_FOUND'],
})

export const tokens = { token_create, token_list, token_get, token_delete }
