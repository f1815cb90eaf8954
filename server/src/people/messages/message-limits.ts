import type { MessageLimit } from '../../base/settings/message-rules.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { countMessageTo, selectMessageCount } from './store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/**
 * The recipients for which an operation has already counted its message. An operation may run again, and must
 * not count twice.
 */
const counted = new WeakMap<Op, Set<string>>()

/**
 * Counts a message before it is sent, first for the recipient and then for the platform, so that flooding one
 * recipient does not use up the platform's limit. Throws 429 `RATE_LIMITED` with `Retry-After`.
 */
export async function countMessage(op: Op, recipient: string): Promise<void> {
  const known = counted.get(op) ?? new Set()
  if (!op.messageRules || known.has(recipient)) return
  const { perRecipient, perPlatform } = op.messageRules
  await count(op, normalizeRecipient(recipient), perRecipient, 'This recipient')
  await count(op, '', perPlatform, 'The platform')
  counted.set(op, known.add(recipient))
}

/** Like `countMessage`, but returns false if a limit is reached. */
export async function mayBeSent(op: Op, recipient: string): Promise<boolean> {
  try {
    await countMessage(op, recipient)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return false
    throw error
  }
}

async function count(op: Op, recipient: string, limit: MessageLimit, whose: string): Promise<void> {
  const [hour, day] = [startOfPeriod(op, HOUR_MS), startOfPeriod(op, DAY_MS)]
  if (await countMessageTo(op, recipient, { hour, day }, limit)) return
  const row = await selectMessageCount(op, recipient)
  const isDayOver = row !== undefined && row.day >= day && row.in_day >= limit.inDay
  const endMs = isDayOver ? day.getTime() + DAY_MS : hour.getTime() + HOUR_MS
  throw new ApiError('RATE_LIMITED', {
    message: `${whose} has reached this server's limit of messages per ${isDayOver ? 'day' : 'hour'}. Wait as long as Retry-After says.`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((endMs - op.now.getTime()) / 1000))) },
  })
}

function startOfPeriod(op: Op, lengthMs: number): Date {
  const nowMs = op.now.getTime()
  return new Date(nowMs - (nowMs % lengthMs))
}

/** Normalizes an e-mail address: lower case, without a tag (`ada+shop@…`). Phone numbers stay as they are. */
function normalizeRecipient(recipient: string): string {
  return recipient.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@')
}
