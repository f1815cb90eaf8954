import type { Op } from '../app.ts'
import type { MessageRow } from '../db/tables.ts'

export interface MessageFilters {
  readonly recipient?: string
  readonly channel?: MessageRow['channel']
  readonly customerId?: string
}

/** A message, and what its credential now is. */
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

/** The messages that match, for a page of them. */
export function selectMessages(op: Op, { recipient, channel, customerId }: MessageFilters) {
  return op.read
    .selectFrom('messages')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$if(recipient !== undefined, (q) =>
      q.where((eb) => eb(eb.fn('lower', ['recipient']), '=', eb.fn('lower', [eb.val(recipient!)]))),
    )
    .$if(channel !== undefined, (q) => q.where('channel', '=', channel!))
    .$if(customerId !== undefined, (q) => q.where('customer_id', '=', customerId!))
}
