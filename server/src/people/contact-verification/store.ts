import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { ContactCodeRow } from '../../storage/rows/contact.ts'

function selectCodes(op: Op, customerId: string, channel: ContactCodeRow['channel']) {
  return op.read
    .selectFrom('contact_codes')
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', '=', customerId)
    .where('channel', '=', channel)
}

/** The latest code, unless it was used. */
export async function selectLiveCode(
  op: Op,
  customerId: string,
  channel: ContactCodeRow['channel'],
): Promise<ContactCodeRow | undefined> {
  return selectCodes(op, customerId, channel).selectAll().where('ended_at', 'is', null).executeTakeFirst()
}

/** The times when the latest codes were sent, newest first. */
export async function selectCodeTimes(
  op: Op,
  customerId: string,
  channel: ContactCodeRow['channel'],
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await selectCodes(op, customerId, channel)
    .select('created_at')
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.created_at)
}

/**
 * Counts an attempt to enter a code. Returns true if the code had an attempt left. The statement commits
 * before the code is compared, so every attempt counts, and parallel attempts cannot exceed the limit.
 */
export async function countAttempt(op: Op, codeId: string, triesMax: number): Promise<boolean> {
  const { rows } = await op.db.query(
    `UPDATE contact_codes SET tries = tries + 1
     WHERE id = $1 AND platform_id = $2 AND tries < $3 AND ended_at IS NULL AND expires_at > $4 RETURNING id`,
    [extractUuid(codeId), extractUuid(op.platform.id), triesMax, op.now],
  )
  return rows.length > 0
}
