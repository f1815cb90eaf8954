import { present } from '@countersign/contract/core/objects'
import { canSeeAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { CredentialRow, SessionRow } from '../../storage/rows/tables.ts'
import {
  type SigningSession,
  selectActiveSession,
  selectActiveSessionByKey,
  selectActiveSessions,
  selectNewestActiveSession,
} from './session-store.ts'

const SESSION_SECONDS = 15 * 60

/** Finds the account's active session with this public key (66 hex characters). */
export async function findActiveSession(
  op: Op,
  accountId: string,
  publicKey: string,
): Promise<SigningSession | undefined> {
  return selectActiveSessionByKey(op, accountId, publicKey)
}

/** Finds the newest active session of an account. */
export async function findNewestSession(op: Op, accountId: string): Promise<SigningSession | undefined> {
  return selectNewestActiveSession(op, accountId)
}

/** Finds an account's active sessions with their credentials, oldest first. */
export async function findActiveSessions(op: Op, accountId: string) {
  return selectActiveSessions(op, accountId)
}

/** Revokes the active sessions of a credential. */
export async function endCredentialSessions(op: Op, credential: CredentialRow): Promise<Write[]> {
  const sessions = await selectActiveSessions(op, credential.account_id)
  return sessions
    .filter((session) => session.credential_id === credential.id)
    .map(({ id }) => endSession(op, id))
}

/** Guard: the session is active. */
export function endSession(op: Op, id: string): Write {
  return update('sessions', id, { revoked_at: null }, { revoked_at: op.now, updated_at: op.now })
}

/** Creates a session for a verified credential. Its key signs for the account until the session expires. */
export function makeSession(
  op: Op,
  credential: Pick<CredentialRow, 'id' | 'account_id'>,
  publicKey: string,
): { readonly row: SessionRow; readonly write: Write } {
  const row: SessionRow = {
    id: op.newId('Session'),
    platform_id: op.platform.id,
    account_id: credential.account_id,
    credential_id: credential.id,
    public_key: publicKey,
    expires_at: addSeconds(op.now, SESSION_SECONDS),
    created_at: op.now,
    updated_at: op.now,
    revoked_at: null,
  }
  return { row, write: insert('sessions', row) }
}

/** Converts a session to its API form (specification 2.2). */
export function toSessionView(
  session: SessionRow,
  credential: Pick<CredentialRow, 'type' | 'nickname' | 'webauthn_id'>,
) {
  return present({
    id: session.id,
    accountId: session.account_id,
    type: credential.type,
    nickname: credential.nickname,
    credentialId: credential.webauthn_id,
    createdAt: session.created_at.toISOString(),
    updatedAt: session.updated_at.toISOString(),
    expiresAt: session.expires_at.toISOString(),
  })
}

/** Finds an active session. Throws 404 `SESSION_NOT_FOUND`, also if it has expired or was revoked. */
export async function findActiveSessionById(op: Op, id: string): Promise<SessionRow> {
  const session = await selectActiveSession(op, id)
  if (!session || !(await canSeeAccount(op, session.account_id)))
    throw new ApiError('SESSION_NOT_FOUND', { details: { field: 'id' } })
  return session
}
