import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { OtpChallengeRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'

/** True if the wallet has ever had a credential, even a revoked one. */
export async function hasHadCredentials(op: Op, accountId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('credentials')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Selects the times when a wallet's latest codes of one kind were issued, newest first. Includes codes of
 * revoked credentials.
 */
export async function selectChallengeTimes(
  op: Op,
  { account_id, type }: Pick<CredentialRow, 'account_id' | 'type'>,
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await op.read
    .selectFrom('otp_challenges')
    .innerJoin('credentials', 'credentials.id', 'otp_challenges.credential_id')
    .select('otp_challenges.created_at')
    .where('credentials.account_id', '=', account_id)
    .where('credentials.type', '=', type)
    .where('otp_challenges.created_at', '>', since)
    .orderBy('otp_challenges.created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.created_at)
}

/**
 * Counts an attempt to enter a code, for its challenge and for its wallet. Returns the challenge, or
 * undefined if it has no attempts left; `failures` is null if the wallet has no attempts left. The statement
 * commits before the code is checked, so every attempt counts, and parallel attempts cannot exceed the limit.
 */
export async function countAttempt(
  op: Op,
  challengeId: string,
  accountId: string,
  triesMax: number,
  failuresMax: number,
): Promise<(OtpChallengeRow & { readonly failures: number | null }) | undefined> {
  const { rows } = await op.db.query<OtpChallengeRow & { failures: number | null }>(
    `WITH tried AS (
       UPDATE otp_challenges SET tries = tries + 1
       WHERE id = $1 AND tries < $2 AND consumed_at IS NULL AND expires_at > $3 RETURNING *
     ), counted AS (
       INSERT INTO code_failures (id, platform_id, failures) SELECT $4::uuid, platform_id, 1 FROM tried
       ON CONFLICT (id) DO UPDATE SET failures = code_failures.failures + 1 WHERE code_failures.failures < $5
       RETURNING failures
     )
     SELECT tried.*, counted.failures FROM tried LEFT JOIN counted ON true`,
    [extractUuid(challengeId), triesMax, op.now, extractUuid(accountId), failuresMax],
  )
  return rows[0]
}

/** True if the WebAuthn credential id is in use on this server, on any platform. */
export async function isPasskeyRegistered(op: Op, webauthnId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('credentials')
    .select('id')
    .where('webauthn_id', '=', webauthnId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function isIdTokenUsed(op: Op, id: string): Promise<boolean> {
  const row = await op.read.selectFrom('used_id_tokens').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
