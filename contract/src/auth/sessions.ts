import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { ClientPublicKeyRequest } from '../core/schema.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { AuthSession } from './credentials.ts'

/** An account's active sessions, without signing keys. */
export const session_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/auth/sessions',
  tag: 'Wallet sign-in',
  summary: 'List the active sessions of an account',
  description:
    'Shows which devices of a customer can sign for an account now, without their signing keys. Expired ' +
    'and revoked sessions are not included.',
  query: Type.Object({ accountId: Id('InternalAccount') }),
  responses: { 200: Type.Object({ data: Type.Array(AuthSession) }) },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})

const sessionPath = Type.Object({ id: PathId })

/** Issues a new session before the current one expires (specification 4.6). */
export const session_refresh = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/auth/sessions/{id}/refresh',
  tag: 'Wallet sign-in',
  summary: 'Refresh a session',
  description:
    'Issues a new session before the current one expires, with its signing key sealed to ' +
    'clientPublicKey; the old one keeps its own expiry. Signed by the session itself, which must be ' +
    'active at both calls.',
  signed: true,
  params: sessionPath,
  body: ClientPublicKeyRequest,
  responses: { 200: AuthSession, 202: SignedRequestChallenge },
  errors: ['INVALID_INPUT', 'SESSION_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
})

/** Revokes a session before it expires. */
export const session_delete = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'DELETE',
  path: '/auth/sessions/{id}',
  tag: 'Wallet sign-in',
  summary: 'Revoke a session',
  description:
    'Revokes a session immediately: its key can no longer sign. Signed by any active session of the same ' +
    'wallet, including the one being revoked.',
  signed: true,
  params: sessionPath,
  responses: { 202: SignedRequestChallenge, 204: null },
  errors: ['SESSION_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
})

export const sessions = { session_list, session_refresh, session_delete }
