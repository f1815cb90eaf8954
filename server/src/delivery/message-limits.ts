import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import type { MessageLimit } from '../settings/message-rules.ts'
import { countMessageTo, selectMessageCount } from './store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** An operation that is decided again has been counted. */
const counted = new WeakSet<Op>()

/**
 * Counts a message that is about to go out: first with those to its recipient, then with those of the platform, so that
 * who floods one recipient uses up nobody else's. Error: 429 `RATE_LIMITED` with `Retry-After`.
 */
export async function countMessage(op: Op, recipient: string): Promise<void> {
  if (!op.messageRules || counted.has(op)) return
  const { perRecipient, perPlatform } = op.messageRules
  await count(op, mailboxOf(recipient), perRecipient, 'This recipient')
  await count(op, '', perPlatform, 'The platform')
  counted.add(op)
}

async function count(op: Op, recipient: string, limit: MessageLimit, whose: string): Promise<void> {
  const [hour, day] = [startOf(op, HOUR_MS), startOf(op, DAY_MS)]
  if (await countMessageTo(op, recipient, { hour, day }, limit)) return
  const row = await selectMessageCount(op, recipient)
  const isDayOver = row !== undefined && row.day >= day && row.in_day >= limit.inDay
  const endMs = isDayOver ? day.getTime() + DAY_MS : hour.getTime() + HOUR_MS
  throw new ApiError('RATE_LIMITED', {
    message: `${whose} has reached this server's limit of messages per ${isDayOver ? 'day' : 'hour'}. Wait as long as Retry-After says.`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((endMs - op.now.getTime()) / 1000))) },
  })
}

function startOf(op: Op, lengthMs: number): Date {
  const nowMs = op.now.getTime()
  return new Date(nowMs - (nowMs % lengthMs))
}

/** An address without what its holder may add to it (`ada+shop@…`), in lower case; a number as it is. */
function mailboxOf(recipient: string): string {
  return recipient.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@')
}
