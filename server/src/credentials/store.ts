import type { Op } from '../app.ts'
import type { Database } from '../db/port.ts'
import type { CodeFailuresRow, OtpChallengeRow } from '../db/schema/sign-in-tables.ts'
import type { CredentialRow } from '../db/schema/tables.ts'

function live(op: Op) {
  return op.read
    .selectFrom('credentials')
    .where('platform_id', '=', op.platform.id)
    .where('revoked_at', 'is', null)
}

export async function selectCredential(op: Op, id: string): Promise<CredentialRow | undefined> {
  return live(op).selectAll().where('id', '=', id).executeTakeFirst()
}

export async function selectCredentials(op: Op, accountId: string): Promise<CredentialRow[]> {
  return live(op)
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Whether a wallet ever had a credential, also one that was revoked. */
export async function hadCredentials(op: Op, accountId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('credentials')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** When the latest codes of one kind for a wallet were issued, newest first; also of credentials that are gone. */
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
 * Counts a try at a code, with its challenge and with its wallet, and gives the challenge, or undefined where no try at it
 * is left. `failures` is null where the wallet has none left. A statement of its own, committed before the code is looked
 * at: whatever happens afterwards, the try has been counted, and of any number at once no more are let through.
 */
export async function countTry(
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
       INSERT INTO code_failures (id, platform_id, failures) SELECT $4, platform_id, 1 FROM tried
       ON CONFLICT (id) DO UPDATE SET failures = code_failures.failures + 1 WHERE code_failures.failures < $5
       RETURNING failures
     )
     SELECT tried.*, counted.failures FROM tried LEFT JOIN counted ON true`,
    [challengeId, triesMax, op.now, accountId, failuresMax],
  )
  return rows[0]
}

/** The wrong codes in a row of a wallet; undefined where there never was one. */
export async function selectCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return op.read
    .selectFrom('code_failures')
    .selectAll()
    .where('id', '=', accountId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** Begins the count anew, in a statement of its own. Whether there was one. */
export async function resetCodeFailures(db: Database, accountId: string): Promise<boolean> {
  const { rows } = await db.query(
    'UPDATE code_failures SET failures = 0, locked_at = NULL WHERE id = $1 RETURNING id',
    [accountId],
  )
  return rows.length > 0
}

/** Whether a WebAuthn credential id is in use anywhere on this server, whatever its platform. */
export async function isPasskeyRegistered(op: Op, webauthnId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('credentials')
    .select('id')
    .where('webauthn_id', '=', webauthnId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function isIdTokenUsed(op: Op, hash: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('used_id_tokens')
    .select('id')
    .where('id', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}
