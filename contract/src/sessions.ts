import { Type } from 'typebox'
import { AuthSession } from './credentials.ts'
import { endpoint } from './endpoint.ts'
import { Id } from './ids.ts'

/** The active sessions of one account; never with a signing key. */
export const session_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/auth/sessions',
  tag: 'Wallet sign-in',
  summary: 'List the active sessions of an account',
  query: Type.Object({ accountId: Id('InternalAccount') }),
  responses: { 200: Type.Object({ data: Type.Array(AuthSession) }) },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})
