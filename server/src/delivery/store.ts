import { whereGiven } from '../db/read/where-given.ts'
import type { MessageCountRow } from '../db/schema/sign-in-tables.ts'
import type { MessageRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import type { MessageLimit } from '../settings/message-rules.ts'

export interface MessageFilters {
  readonly recipient?: string
  readonly channel?: MessageRow['channel']
  readonly customerId?: string
}

/** A message with the current state of its credential. */
export type MessageWithCredential = MessageRow & {
  readonly contact: string | null
  readonly current_challenge_id: string | null
  readonly revoked_at: Date | null
}

export async function selectMessageWithCredential(
  op: Op,
  id: string,
): Promise<MessageWithCredential | undefined> {
  return op.read
    .selectFrom('messages')
    .innerJoin('credentials', 'credentials.id', 'messages.credential_id')
    .where('messages.platform_id', '=', op.platform.id)
    .where('messages.id', '=', id)
    .selectAll('messages')
    .select(['credentials.contact', 'credentials.current_challenge_id', 'credentials.revoked_at'])
    .executeTakeFirst()
}

/** A page of the matching messages. */
export function selectMessages(op: Op, { recipient, channel, customerId }: MessageFilters) {
  return op.read
    .selectFrom('messages')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) =>
      recipient === undefined
        ? q
        : q.where((eb) => eb(eb.fn('lower', ['recipient']), '=', eb.fn('lower', [eb.val(recipient)]))),
    )
    .$call((q) => whereGiven(q, 'channel', '=', channel))
    .$call((q) => whereGiven(q, 'customer_id', '=', customerId))
}

/**
 * Counts a message of the platform, to a recipient or (empty) to anyone, unless the limit of the hour or the day is
 * reached. Returns whether it was counted. One statement of its own, so parallel calls cannot pass the limit.
 */
export async function countMessageTo(
  op: Op,
  recipient: string,
  { hour, day }: { readonly hour: Date; readonly day: Date },
  { inHour, inDay }: MessageLimit,
): Promise<boolean> {
  const { rows } = await op.db.query(
    `INSERT INTO message_counts AS c (platform_id, recipient, hour, in_hour, day, in_day) VALUES ($1, $2, $3, 1, $4, 1)
     ON CONFLICT (platform_id, recipient) DO UPDATE SET
       hour = greatest(c.hour, $3), in_hour = CASE WHEN c.hour < $3 THEN 1 ELSE c.in_hour + 1 END,
       day = greatest(c.day, $4), in_day = CASE WHEN c.day < $4 THEN 1 ELSE c.in_day + 1 END
     WHERE (c.hour < $3 OR c.in_hour < $5) AND (c.day < $4 OR c.in_day < $6)
     RETURNING c.recipient`,
    [op.platform.id, recipient, hour, day, inHour, inDay],
  )
  return rows.length > 0
}

export async function selectMessageCount(op: Op, recipient: string): Promise<MessageCountRow | undefined> {
  return op.read
    .selectFrom('message_counts')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
}
