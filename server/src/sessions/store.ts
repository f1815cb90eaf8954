import type { SessionRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

/** Active sessions: not expired, not revoked, and of a credential that was not revoked. */
function active(op: Op) {
  return op.read
    .selectFrom('sessions')
    .innerJoin('credentials', 'credentials.id', 'sessions.credential_id')
    .where('credentials.revoked_at', 'is', null)
    .where('sessions.platform_id', '=', op.platform.id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', op.now)
}

/** A session that may sign, with the consecutive wrong codes of its wallet. */
export type SigningSession = SessionRow & { readonly code_failures: number | null }

/** One statement for both: every signed operation begins with it. */
function signing(op: Op) {
  return active(op)
    .leftJoin('code_failures', 'code_failures.id', 'sessions.account_id')
    .selectAll('sessions')
    .select('code_failures.failures as code_failures')
}

export async function selectActiveSessionByKey(
  op: Op,
  accountId: string,
  publicKey: string,
): Promise<SigningSession | undefined> {
  return signing(op)
    .where('sessions.account_id', '=', accountId)
    .where('public_key', '=', publicKey)
    .orderBy('sessions.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function selectNewestActiveSession(
  op: Op,
  accountId: string,
): Promise<SigningSession | undefined> {
  return signing(op)
    .where('sessions.account_id', '=', accountId)
    .orderBy('sessions.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function selectActiveSession(op: Op, id: string): Promise<SessionRow | undefined> {
  return active(op).selectAll('sessions').where('sessions.id', '=', id).executeTakeFirst()
}

/** Active sessions with their credentials, oldest first. */
export async function selectActiveSessions(op: Op, accountId: string) {
  return active(op)
    .where('sessions.account_id', '=', accountId)
    .selectAll('sessions')
    .select(['credentials.type', 'credentials.nickname', 'credentials.webauthn_id'])
    .orderBy('sessions.created_at')
    .orderBy('sessions.id')
    .execute()
}
