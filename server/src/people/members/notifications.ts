import type {
  MemberNotifications,
  MemberNotificationsUpdate,
} from '@countersign/contract/operation/member-notifications'
import type { Static } from 'typebox'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { canDeliver } from '../messages/channels.ts'

/**
 * Settings for digests of the work that waits for a member. A job per member runs once per interval by the
 * platform's clock; its handler is in `operation/overview/digests.ts`.
 */

export function toNotificationsView(row: MemberRow): Static<typeof MemberNotifications> {
  return { channel: row.notify_by ?? 'NONE', topics: row.notify_about, intervalMinutes: row.notify_minutes }
}

/**
 * Changes a member's settings. The first digest is sent after one interval. Throws 400 `INVALID_INPUT` if the
 * server sends no e-mail.
 */
export function changeNotifications(
  op: Op,
  member: MemberRow,
  change: Static<typeof MemberNotificationsUpdate>,
): { readonly row: MemberRow; readonly writes: readonly Write[] } {
  const { channel, topics, intervalMinutes } = { ...toNotificationsView(member), ...change }
  if (channel === 'EMAIL' && !canDeliver(op, 'EMAIL'))
    throw createFieldError('INVALID_INPUT', 'notifications.channel', 'This server cannot send e-mail.')
  const settings = {
    notify_by: channel === 'NONE' ? null : channel,
    notify_about: [...topics],
    notify_minutes: intervalMinutes,
  }
  const next = channel === 'NONE' ? undefined : scheduleNextDigest(op, member.id, intervalMinutes)
  const set = { ...settings, digest_job_id: next?.id ?? null }
  const { digest_job_id, state } = member
  return {
    row: { ...member, ...set },
    writes: [update('members', member.id, { digest_job_id, state }, set), ...(next ? [next.write] : [])],
  }
}

/** Schedules the next digest. An earlier job to which the member no longer refers does nothing. */
export function scheduleNextDigest(
  op: Op,
  memberId: string,
  minutes: number,
): { readonly id: string; readonly write: Write } {
  const write = job(op, 'member.digest', { memberId }, addSeconds(op.now, minutes * 60))
  return { id: String(write.row.id), write }
}
