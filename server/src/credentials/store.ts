import { uuidOf } from '../db/engine/ids.ts'
import type { Database } from '../db/engine/port.ts'
import type { CodeFailuresRow } from '../db/schema/sign-in-tables.ts'
import type { CredentialRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'

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

export async function selectCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return op.read
    .selectFrom('code_failures')
    .selectAll()
    .where('id', '=', accountId)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** Resets the count, in a statement of its own. Returns whether there was one. */
export async function resetCodeFailures(db: Database, accountId: string): Promise<boolean> {
  const { rows } = await db.query(
    'UPDATE code_failures SET failures = 0, locked_at = NULL WHERE id = $1 RETURNING id',
    [uuidOf(accountId)],
  )
  return rows.length > 0
}
