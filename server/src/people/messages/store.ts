import { sql } from 'kysely'
import type { MessageLimit } from '../../base/settings/message-rules.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { MessageCountRow, MessageRow } from '../../storage/rows/sign-in.ts'

export interface MessageFilters {
  readonly recipient?: string
  readonly channel?: MessageRow['channel']
  readonly customerId?: string
}

/** A message. `isStillNeeded` is true while its code or notice is useful to the recipient. */
export interface FoundMessage {
  readonly message: MessageRow
  readonly isStillNeeded: boolean
}

/**
 * Finds a message. It is wanted if it contains the current code of an active credential with the same
 * address, the latest code for a contact that its customer still has, the latest code of an active member, or
 * a notice to an active member.
 */
export async function selectMessage(op: Op, id: string): Promise<FoundMessage | undefined> {
  const row = await op.read
    .selectFrom('messages')
    .leftJoin('credentials', 'credentials.id', 'messages.credential_id')
    .leftJoin('contact_codes', 'contact_codes.id', 'messages.contact_code_id')
    .leftJoin('members', 'members.code_id', 'messages.member_code_id')
    .leftJoin('members as notified', 'notified.id', 'messages.member_id')
    .leftJoin('customers', 'customers.id', 'contact_codes.customer_id')
    .where('messages.platform_id', '=', op.platform.id)
    .where('messages.id', '=', id)
    .selectAll('messages')
    .select(
      sql<boolean>`CASE WHEN messages.credential_id IS NOT NULL
        THEN credentials.revoked_at IS NULL AND credentials.contact = messages.recipient
          AND credentials.current_challenge_id IS NOT DISTINCT FROM messages.challenge_id
        WHEN messages.member_code_id IS NOT NULL THEN members.state = 'ACTIVE'
        WHEN messages.member_id IS NOT NULL THEN notified.state = 'ACTIVE'
        ELSE contact_codes.ended_at IS NULL AND customers.deleted_at IS NULL
          AND messages.recipient IS NOT DISTINCT FROM CASE messages.channel
            WHEN 'EMAIL' THEN customers.email ELSE customers.details->>'phoneNumber' END
        END`.as('is_wanted'),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const { is_wanted: isStillNeeded, ...message } = row
  return { message, isStillNeeded }
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
    .$call((q) => whereIfDefined(q, 'channel', '=', channel))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
}

/**
 * Counts a message to a recipient or, if `recipient` is empty, to anyone. Returns false if the hourly or
 * daily limit is reached. It is a separate statement, so that concurrent calls cannot exceed the limit.
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
    [extractUuid(op.platform.id), recipient, hour, day, inHour, inDay],
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

/** Selects the members whom these codes sign in, with their permissions. */
export async function selectCodeMembers(op: Op, codes: readonly string[]) {
  if (codes.length === 0) return []
  return op.read
    .selectFrom('member_codes')
    .innerJoin('members', 'members.id', 'member_codes.member_id')
    .where('member_codes.platform_id', '=', op.platform.id)
    .where('member_codes.id', 'in', codes)
    .select(['member_codes.id as code', 'members.permissions'])
    .execute()
}
