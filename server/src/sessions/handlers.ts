import type { session_delete, session_list, session_refresh } from '@countersign/contract/sessions'
import { findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import { checkClientPublicKey } from '../client-key.ts'
import { findCredential } from '../credentials/credentials.ts'
import { describeCredential, signedCredential } from '../credentials/describe.ts'
import type { SessionRow } from '../db/schema/tables.ts'
import { expectRow } from '../db/writes.ts'
import { ApiError, type Handler, type SignedHandler } from '../operation.ts'
import { SIGNING_SECONDS } from '../signing/signing.ts'
import { endSession, makeSession, sessionView } from './sessions.ts'
import { selectActiveSession, selectActiveSessions } from './store.ts'

export const sessionList: Handler<typeof session_list> = async (op, { query }) => {
  const account = await findInternalAccount(op, query.accountId)
  const sessions = await selectActiveSessions(op, account.id)
  return { status: 200, body: { data: sessions.map((session) => sessionView(session, session)) } }
}

/** The session signs for its own successor (specification 4.6); both calls need it active. */
export const sessionRefresh: SignedHandler<typeof session_refresh> = {
  async authorize(op, { params, body }) {
    checkClientPublicKey(body.clientPublicKey)
    const session = await findActiveSessionById(op, params.id)
    const credential = await findCredential(op, session.credential_id)
    return {
      accountId: session.account_id,
      statement: {
        operation: 'session_refresh',
        summary: `Stay signed in to this wallet with ${describeCredential(credential)}: a new key for this device`,
        session: session.id,
        credential: signedCredential(credential),
        clientPublicKey: body.clientPublicKey,
      },
      expiresAt: plusSeconds(op.now, SIGNING_SECONDS),
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
      body: { ...sessionView(row, credential), encryptedSessionSigningKey: key.encryptedKey },
      writes: [
        expectRow('sessions', session.id, { revoked_at: null }),
        expectRow('credentials', credential.id, { revoked_at: null }),
        write,
      ],
    }
  },
}

export const sessionDelete: SignedHandler<typeof session_delete> = {
  async authorize(op, { params }) {
    const session = await findActiveSessionById(op, params.id)
    const credential = await findCredential(op, session.credential_id)
    const began = session.created_at.toISOString()
    return {
      accountId: session.account_id,
      statement: {
        operation: 'session_delete',
        summary: `Sign out of this wallet where you signed in with ${describeCredential(credential)} at ${began}`,
        session: session.id,
        credential: signedCredential(credential),
      },
      expiresAt: plusSeconds(op.now, SIGNING_SECONDS),
      credentialType: credential.type,
    }
  },

  async handle(op, { params }) {
    const session = await findActiveSessionById(op, params.id)
    return { status: 204, body: undefined, writes: [endSession(op, session.id)] }
  },
}

/** Error: 404 `SESSION_NOT_FOUND`, also for one that has ended. */
async function findActiveSessionById(op: Op, id: string): Promise<SessionRow> {
  const session = await selectActiveSession(op, id)
  if (!session) throw new ApiError('SESSION_NOT_FOUND', { details: { field: 'id' } })
  return session
}
