import { type Op, plusSeconds } from '../app.ts'
import type { CredentialRow, SessionRow } from '../db/tables.ts'
import { insert, type Write } from '../db/writes.ts'
import { selectActiveSessionByKey } from './store.ts'

const SESSION_SECONDS = 15 * 60

/** The active session of an account whose key this is (66 hex characters), or undefined. */
export async function findActiveSession(
  op: Op,
  accountId: string,
  publicKey: string,
): Promise<SessionRow | undefined> {
  return selectActiveSessionByKey(op, accountId, publicKey)
}

/** A session of a verified credential; its key signs for the account until it expires. */
export function makeSession(
  op: Op,
  credential: CredentialRow,
  publicKey: string,
): { readonly row: SessionRow; readonly write: Write } {
  const row: SessionRow = {
    id: op.newId('Session'),
    platform_id: op.platform.id,
    account_id: credential.account_id,
    credential_id: credential.id,
    public_key: publicKey,
    expires_at: plusSeconds(op.now, SESSION_SECONDS),
    created_at: op.now,
    updated_at: op.now,
    revoked_at: null,
  }
  return { row, write: insert('sessions', row) }
}

/** A session as the API shows it (specification 2.2). */
export function sessionView(session: SessionRow, credential: Pick<CredentialRow, 'type' | 'nickname'>) {
  return {
    id: session.id,
    accountId: session.account_id,
    type: credential.type,
    nickname: credential.nickname,
    createdAt: session.created_at.toISOString(),
    updatedAt: session.updated_at.toISOString(),
    expiresAt: session.expires_at.toISOString(),
  }
}
