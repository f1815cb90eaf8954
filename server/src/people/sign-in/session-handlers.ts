import type { sessions } from '@countersign/contract/auth/sessions'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { checkClientPublicKey } from '../../kernel/signing/client-key.ts'
import { SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { expectRow } from '../../storage/commit/writes.ts'
import { findCredential } from '../credentials/credentials.ts'
import { describeCredential, toSignedCredential } from '../credentials/describe.ts'
import {
  endSession,
  findActiveSessionById,
  findActiveSessions,
  makeSession,
  toSessionView,
} from './sessions.ts'

export const sessionHandlers: Handlers<typeof sessions> = {
  session_list: async (op, { query }) => {
    const account = await findInternalAccount(op, query.accountId)
    const sessions = await findActiveSessions(op, account.id)
    return { status: 200, body: { data: sessions.map((session) => toSessionView(session, session)) } }
  },

  /**
   * Refreshes a session with the session's own signature (specification 4.6). The session must be active for
   * both calls.
   */
  session_refresh: {
    async toSign(op, { params, body }) {
      checkClientPublicKey(body.clientPublicKey)
      const session = await findActiveSessionById(op, params.id)
      const credential = await findCredential(op, session.credential_id)
      return {
        accountId: session.account_id,
        statement: {
          operation: 'session_refresh',
          summary: `Stay signed in to this wallet with ${describeCredential(credential)}: a new key for this device`,
          session: session.id,
          credential: toSignedCredential(credential),
          clientPublicKey: body.clientPublicKey,
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
        credentialType: credential.type,
      }
    },

    async handle(op, { params, body, approval }) {
      const session = await findActiveSessionById(op, params.id)
      if (approval?.session && approval.session.id !== session.id)
        throw new ApiError('WALLET_SIGNATURE_INVALID', { reason: 'Signed by another session' })
      const credential = await findCredential(op, session.credential_id)
      const key = op.enclave.newSessionKey(body.clientPublicKey)
      const { row, write } = makeSession(op, credential, key.publicKey)
      return {
        status: 200,
        body: { ...toSessionView(row, credential), encryptedSessionSigningKey: key.encryptedKey },
        writes: [
          expectRow('sessions', session.id, { revoked_at: null }),
          expectRow('credentials', credential.id, { revoked_at: null }),
          write,
        ],
      }
    },
  },

  session_delete: {
    async toSign(op, { params }) {
      const session = await findActiveSessionById(op, params.id)
      const credential = await findCredential(op, session.credential_id)
      const createdAt = session.created_at.toISOString()
      return {
        accountId: session.account_id,
        statement: {
          operation: 'session_delete',
          summary: `End the session of this wallet that began with ${describeCredential(credential)} at ${createdAt}`,
          session: session.id,
          credential: toSignedCredential(credential),
        },
        expiresAt: addSeconds(op.now, SIGNING_SECONDS),
        credentialType: credential.type,
      }
    },

    async handle(op, { params }) {
      const session = await findActiveSessionById(op, params.id)
      return { status: 204, body: undefined, writes: [endSession(op, session.id)] }
    },
  },
}
