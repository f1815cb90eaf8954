import type { MessageLimit } from '../../base/settings/message-rules.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { countMessageTo, selectMessageCount } from './store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/**
 * The recipients whose message an operation has already counted. An operation may run again and must not
 * count twice.
 */
const COUNTED = new WeakMap<Op, Set<string>>()

/**
 * Counts a message before it is sent, first for the recipient and then for the platform, so that flooding one
 * recipient does not use up the platform's limit. Throws 429 `RATE_LIMITED` with `Retry-After`.
 */
export async function countMessage(op: Op, recipient: string): Promise<void> {
  const countedRecipients = COUNTED.get(op) ?? new Set()
  if (!op.messageRules || countedRecipients.has(recipient)) return
  const { perRecipient, perPlatform } = op.messageRules
  await countOrReject(op, normalizeRecipient(recipient), perRecipient, 'This recipient')
  await countOrReject(op, '', perPlatform, 'The platform')
  COUNTED.set(op, countedRecipients.add(recipient))
}

/** Like `countMessage`, but returns false if a limit is reached. */
export async function tryCountMessage(op: Op, recipient: string): Promise<boolean> {
  try {
    await countMessage(op, recipient)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return false
    throw error
  }
}

async function countOrReject(op: Op, recipient: string, limit: MessageLimit, subject: string): Promise<void> {
  const [hour, day] = [getPeriodStart(op, HOUR_MS), getPeriodStart(op, DAY_MS)]
  if (await countMessageTo(op, recipient, { hour, day }, limit)) return
  const row = await selectMessageCount(op, recipient)
  const isDailyLimit = row !== undefined && row.day >= day && row.in_day >= limit.inDay
  const endMs = isDailyLimit ? day.getTime() + DAY_MS : hour.getTime() + HOUR_MS
  throw new ApiError('RATE_LIMITED', {
    message: `${subject} has reached the limit of messages per ${isDailyLimit ? 'day' : 'hour'} on this server. Try again after the time in Retry-After.`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((endMs - op.now.getTime()) / 1000))) },
  })
}

function getPeriodStart(op: Op, lengthMs: number): Date {
  const nowMs = op.now.getTime()
  return new Date(nowMs - (nowMs % lengthMs))
}

/** Normalizes an e-mail address: lower case, without a tag (`ada+shop@…`). Phone numbers stay as they are. */
function normalizeRecipient(recipient: string): string {
  return recipient.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@')
}
