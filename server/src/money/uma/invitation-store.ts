import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type { InvitationAttemptsRow, InvitationRow } from '../../storage/rows/look-up.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'

/** An invitation, with values of other tables that determine its state. */
export interface InvitationWithInviter extends InvitationRow {
  /** True if the inviter was deleted. */
  readonly is_inviter_gone: boolean
  readonly clock_offset_ms: BarePlatformRow['clock_offset_ms']
}

/** An invitation on any platform of this server that has not been reset. */
export async function selectInvitation(op: Op, code: string): Promise<InvitationWithInviter | undefined> {
  return op.read
    .selectFrom('invitations')
    .innerJoin('platforms', 'platforms.id', 'invitations.platform_id')
    .innerJoin('customers', 'customers.id', 'invitations.customer_id')
    .selectAll('invitations')
    .select(['platforms.clock_offset_ms'])
    .select(({ eb }) => eb('customers.deleted_at', 'is not', null).as('is_inviter_gone'))
    .where('invitations.id', '=', code)
    .where('platforms.closed_at', 'is', null)
    .$castTo<InvitationWithInviter>()
    .executeTakeFirst()
}

export type InvitationAttempts = Pick<InvitationAttemptsRow, 'failures' | 'forgotten_at'>

/** The platform's wrong codes that are still counted at `realNow`. */
export async function selectAttempts(op: Op, realNow: Date) {
  return op.read
    .selectFrom('invitation_attempts')
    .select(['failures', 'forgotten_at'])
    .where('id', '=', op.platform.id)
    .where('forgotten_at', '>', realNow)
    .executeTakeFirst()
}

/**
 * Counts a wrong code in a separate statement, because the count must survive the error response. Returns the
 * new count.
 */
export async function countFailure(op: Op, realNow: Date, forgottenAt: Date): Promise<InvitationAttempts> {
  const { rows } = await op.db.query<InvitationAttempts>(
    `INSERT INTO invitation_attempts AS a (id, failures, forgotten_at) VALUES ($1, 1, $3)
     ON CONFLICT (id) DO UPDATE SET
       failures = CASE WHEN a.forgotten_at <= $2 THEN 1 ELSE a.failures + 1 END,
       forgotten_at = CASE WHEN a.forgotten_at <= $2 THEN $3 ELSE a.forgotten_at END
     RETURNING failures, forgotten_at`,
    [extractUuid(op.platform.id), realNow, forgottenAt],
  )
  return getOnlyRow(rows)
}
