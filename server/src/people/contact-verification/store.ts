import type { Op } from '../../kernel/operation/app.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import type { ContactCodeRow } from '../../storage/rows/contact.ts'

function codesOf(op: Op, customerId: string, channel: ContactCodeRow['channel']) {
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
  return codesOf(op, customerId, channel).selectAll().where('ended_at', 'is', null).executeTakeFirst()
}

/** The times when the latest codes were sent, newest first. */
export async function selectCodeTimes(
  op: Op,
  customerId: string,
  channel: ContactCodeRow['channel'],
  since: Date,
  limit: number,
): Promise<Date[]> {
  const rows = await codesOf(op, customerId, channel)
    .select('created_at')
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.created_at)
}

/**
 * Counts an attempt at a code. Returns true if the code had an attempt left. The statement is committed
 * before the code is compared, so that an attempt counts whatever happens next, and parallel attempts cannot
 * exceed the limit.
 */
export async function countAttempt(op: Op, codeId: string, triesMax: number): Promise<boolean> {
  const { rows } = await op.db.query(
    `UPDATE contact_codes SET tries = tries + 1
     WHERE id = $1 AND platform_id = $2 AND tries < $3 AND ended_at IS NULL AND expires_at > $4 RETURNING id`,
    [uuidOf(codeId), uuidOf(op.platform.id), triesMax, op.now],
  )
  return rows.length > 0
}
