import { Type } from 'typebox'
import type { Permission } from '../core/endpoint.ts'
import { HttpUrl } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { OneOfWords } from '../core/schema.ts'

/** Kinds of pending work for a member, and the permission needed for each. */
export const NOTIFICATION_TOPICS = {
  APPROVALS: 'APPROVE',
  VERIFICATIONS: 'REVIEW',
  DEPOSITS: 'APPROVE',
  DIFFERENCES: 'APPROVE',
} as const satisfies Record<string, Permission>

export type NotificationTopic = keyof typeof NOTIFICATION_TOPICS

export const NOTIFICATION_CHANNELS = ['NONE', 'EMAIL', 'WEBHOOK'] as const

const INTERVAL_MINUTES = { min: 15, max: 1_440, default: 60 } as const

/** Settings of a member who has not chosen any. */
export const NO_NOTIFICATIONS = {
  channel: 'NONE',
  topics: keysOf(NOTIFICATION_TOPICS),
  intervalMinutes: INTERVAL_MINUTES.default,
} as const

const Topic = OneOfWords(
  keysOf(NOTIFICATION_TOPICS),
  'APPROVALS: approvals and screenings. DEPOSITS: money in suspense. DIFFERENCES: days on which ' +
    'statement and ledger differ, and unattributed rail reports',
)
const Channel = OneOfWords(
  NOTIFICATION_CHANNELS,
  "EMAIL: to the member's address. WEBHOOK: the event MEMBER.WORK_WAITING",
)
const Topics = Type.Array(Topic, {
  minItems: 1,
  maxItems: NO_NOTIFICATIONS.topics.length,
  uniqueItems: true,
  description: "Only topics that the member's permissions allow them to act on are reported",
})
const Interval = Type.Integer({
  minimum: INTERVAL_MINUTES.min,
  maximum: INTERVAL_MINUTES.max,
  description: 'In minutes. Work that arrives in the meantime is reported together, once',
})

/** A member's digest settings. */
export const MemberNotifications = Type.Object({
  channel: Channel,
  topics: Topics,
  intervalMinutes: Interval,
})

export const MemberNotificationsUpdate = Type.Object({
  channel: Type.Optional(Channel),
  topics: Type.Optional(Topics),
  intervalMinutes: Type.Optional(Interval),
})

/** The pending records of one topic. */
const WaitingTopic = Type.Object({
  topic: Topic,
  waiting: Type.Integer({ minimum: 1, description: 'The number of waiting records, at most 1,000' }),
  new: Type.Integer({ minimum: 0, description: 'The number that no earlier digest has reported' }),
})

/** The amount of work waiting for a member. Contains only counts. */
export const MemberDigest = Type.Object({
  memberId: Id('Member'),
  topics: Type.Array(WaitingTopic),
  consoleUrl: HttpUrl,
})
