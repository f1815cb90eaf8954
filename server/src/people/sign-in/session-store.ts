import type { Op } from '../../kernel/operation/app.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import type { SessionRow } from '../../storage/rows/tables.ts'

/** Sessions that have not expired, are not revoked, and have a credential that is not revoked. */
function selectActive(op: Op) {
  return op.read
    .selectFrom('sessions')
    .innerJoin('credentials', 'credentials.id', 'sessions.credential_id')
    .where('credentials.revoked_at', 'is', null)
    .where('sessions.platform_id', '=', op.platform.id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', op.now)
}

/** A session that may sign, with its wallet's count of consecutive wrong codes. */
export type SigningSession = SessionRow & { readonly code_failures: number | null }

/**
 * Reads the wallet's session with a key that expires last. Every signed operation reads one, so the reads of
 * several operations share a statement.
 */
const BY_KEY = lookupByKey<SigningSession>(
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
  return selectActive(op)
    .leftJoin('code_failures', 'code_failures.id', 'sessions.account_id')
    .selectAll('sessions')
    .select('code_failures.failures as code_failures')
    .where('sessions.account_id', '=', accountId)
    .orderBy('sessions.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function selectActiveSession(op: Op, id: string): Promise<SessionRow | undefined> {
  return selectActive(op).selectAll('sessions').where('sessions.id', '=', id).executeTakeFirst()
}

/** Active sessions with their credentials, oldest first. */
export async function selectActiveSessions(op: Op, accountId: string) {
  return selectActive(op)
    .where('sessions.account_id', '=', accountId)
    .selectAll('sessions')
    .select(['credentials.type', 'credentials.nickname', 'credentials.webauthn_id'])
    .orderBy('sessions.created_at')
    .orderBy('sessions.id')
    .execute()
}
