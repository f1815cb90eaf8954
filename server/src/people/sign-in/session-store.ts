import type { Op } from '../../kernel/operation/app.ts'
import { rowByKey } from '../../storage/read/lookup.ts'
import type { SessionRow } from '../../storage/rows/tables.ts'

/** Active sessions: not expired, not revoked, and of an unrevoked credential. */
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

/**
 * The last expiring session for a wallet and a key. Every signed operation needs one, so they share
 * statements.
 */
const BY_KEY = rowByKey<SigningSession>(
  `SELECT s.*, f.failures AS code_failures
   FROM unnest($1::uuid[], $2::text[]) AS asked (account_id, public_key)
   CROSS JOIN LATERAL (
     SELECT own.* FROM sessions own JOIN credentials c ON c.id = own.credential_id
     WHERE own.account_id = asked.account_id AND own.public_key = asked.public_key AND own.revoked_at IS NULL
       AND c.revoked_at IS NULL
     ORDER BY own.expires_at DESC LIMIT 1) AS s
   LEFT JOIN LATERAL (SELECT failures FROM code_failures WHERE id = s.account_id OFFSET 0) AS f ON true`,
  'account_id',
  'public_key',
)

export async function selectActiveSessionByKey(
  op: Op,
  accountId: string,
  publicKey: string,
): Promise<SigningSession | undefined> {
  const session = await op.find(BY_KEY, accountId, publicKey)
  return session && session.expires_at > op.now ? session : undefined
}

export async function selectNewestActiveSession(
  op: Op,
  accountId: string,
): Promise<SigningSession | undefined> {
  return active(op)
    .leftJoin('code_failures', 'code_failures.id', 'sessions.account_id')
    .selectAll('sessions')
    .select('code_failures.failures as code_failures')
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
