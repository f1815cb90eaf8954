import type { Op } from '../app.ts'
import type { CredentialRow, OtpChallengeRow } from '../db/tables.ts'

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
 * Counts a try at a code and gives its challenge, or undefined where no try is left. A statement of its own, committed
 * before the code is looked at: whatever happens afterwards, the try has been counted.
 */
export async function countTry(
  op: Op,
  challengeId: string,
  triesMax: number,
): Promise<OtpChallengeRow | undefined> {
  const { rows } = await op.db.query<OtpChallengeRow>(
    `UPDATE otp_challenges SET tries = tries + 1
     WHERE id = $1 AND tries < $2 AND consumed_at IS NULL AND expires_at > $3 RETURNING *`,
    [challengeId, triesMax, op.now],
  )
  return rows[0]
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
