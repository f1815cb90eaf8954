import { keysOf } from '@countersign/contract/core/objects'
import {
  type MemberDigest,
  NOTIFICATION_TOPICS,
  type NotificationTopic,
} from '@countersign/contract/operation/member-notifications'
import type { Waiting } from '@countersign/contract/operation/overview'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { findMember } from '../../people/members/members.ts'
import { getConsolePageUrl, notifyMember } from '../../people/members/notices.ts'
import { scheduleNextDigest } from '../../people/members/notifications.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { selectWaitingFor } from './store.ts'

/**
 * Digests notify members of new work. They contain only counts, because other people may read the same
 * mailbox.
 */

/** The maximum number of waiting records that a digest counts and remembers, newest first. */
const RECORDS_MAX = 1_000

const WAITING_KINDS: { readonly [Topic in NotificationTopic]: readonly (keyof Static<typeof Waiting>)[] } = {
  APPROVALS: ['approvals', 'screenings'],
  VERIFICATIONS: ['verifications'],
  DEPOSITS: ['deposits'],
  DIFFERENCES: ['reconciliations', 'railEvents'],
}

const TOPIC_LABELS: { readonly [Topic in NotificationTopic]: string } = {
  APPROVALS: 'Approvals',
  VERIFICATIONS: 'Verifications',
  DEPOSITS: 'Unassigned deposits',
  DIFFERENCES: 'Differences',
}

/**
 * Reports the work that has arrived for a member since the last digest, if any, and schedules the next
 * digest. The report, the remembered records and this job's end are one commit. Guard: this job is the
 * member's scheduled digest.
 */
export const sendDigest: JobHandler<'member.digest'> = async (op, { memberId }) => {
  if (op.actor.kind !== 'job') throw new Error('a digest can only be sent by a job')
  const { jobId } = op.actor
  const member = await findMember(op, memberId)
  const { state, notify_by, notify_minutes, digest_job_id } = member
  if (state !== 'ACTIVE' || notify_by === null || digest_job_id !== jobId) return []
  const topics = listTopics(member)
  const waiting = await selectWaitingFor(
    op,
    memberId,
    topics.flatMap((topic) => WAITING_KINDS[topic]),
    RECORDS_MAX,
  )
  const known = new Set(member.digest_records)
  const next = scheduleNextDigest(op, memberId, notify_minutes)
  const counts = topics.map((topic) => {
    const records = waiting.filter(({ kind }) => WAITING_KINDS[topic].includes(kind))
    return { topic, waiting: records.length, new: records.filter(({ id }) => !known.has(id)).length }
  })
  const digest = {
    memberId,
    topics: counts.filter(({ waiting }) => waiting > 0),
    consoleUrl: getConsolePageUrl(op, 'approvals'),
  }
  const hasNews = digest.topics.some((topic) => topic.new > 0)
  const report = hasNews ? await buildReport(op, member, digest) : []
  return [
    update(
      'members',
      memberId,
      { digest_job_id: jobId, state },
      {
        digest_job_id: next.id,
        // If no report could be sent, for example because of the message limit, the work counts as new again
        // next time.
        ...(hasNews && report.length === 0 ? {} : { digest_records: waiting.map(({ id }) => id) }),
      },
    ),
    next.write,
    ...report,
  ]
}

/** The topics that the member has chosen and is allowed to act on. */
function listTopics({ notify_about, permissions }: MemberRow): readonly NotificationTopic[] {
  return keysOf(NOTIFICATION_TOPICS).filter(
    (topic) => notify_about.includes(topic) && permissions.includes(NOTIFICATION_TOPICS[topic]),
  )
}

async function buildReport(
  op: Op,
  member: MemberRow,
  digest: Static<typeof MemberDigest>,
): Promise<readonly Write[]> {
  if (member.notify_by === 'WEBHOOK') return [event(op, 'MEMBER.WORK_WAITING', member.id, digest)]
  const newCount = digest.topics.reduce((sum, topic) => sum + topic.new, 0)
  return notifyMember(op, member, {
    subject: newCount === 1 ? '1 new item needs your attention' : `${newCount} new items need your attention`,
    paragraphs: [
      ...digest.topics.map(
        (topic) => `${TOPIC_LABELS[topic.topic]}: ${topic.waiting} waiting, ${topic.new} new.`,
      ),
      `Open the console: ${digest.consoleUrl}`,
      'You can turn off these messages in the console under Settings, You.',
    ],
  })
}
