import type { Op } from '../app.ts'
import type { SessionRow } from '../db/tables.ts'

function active(op: Op, accountId: string) {
  return op.read
    .selectFrom('sessions')
    .where('sessions.account_id', '=', accountId)
    .where('sessions.platform_id', '=', op.platform.id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', op.now)
}

export async function selectActiveSessionByKey(
  op: Op,
  accountId: string,
  publicKey: string,
): Promise<SessionRow | undefined> {
  return active(op, accountId).selectAll().where('public_key', '=', publicKey).limit(1).executeTakeFirst()
}

/** Active sessions with what they show of their credential, oldest first. */
export async function selectActiveSessions(op: Op, accountId: string) {
  return active(op, accountId)
    .innerJoin('credentials', 'credentials.id', 'sessions.credential_id')
    .selectAll('sessions')
    .select(['credentials.type', 'credentials.nickname'])
    .orderBy('sessions.created_at')
    .orderBy('sessions.id')
    .execute()
}
