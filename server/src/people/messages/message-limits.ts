import type { MessageLimit } from '../../base/settings/message-rules.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { countMessageTo, selectMessageCount } from './store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** The recipients already counted by an operation, which may run again. */
const counted = new WeakMap<Op, Set<string>>()

/**
 * Counts a message before it is sent: first for its recipient, then for the platform, so that a flood to one recipient
 * does not use up the platform's limit. Error: 429 `RATE_LIMITED` with `Retry-After`.
 */
export async function countMessage(op: Op, recipient: string): Promise<void> {
  const known = counted.get(op) ?? new Set()
  if (!op.messageRules || known.has(recipient)) return
  const { perRecipient, perPlatform } = op.messageRules
  await count(op, mailboxOf(recipient), perRecipient, 'This recipient')
  await count(op, '', perPlatform, 'The platform')
  counted.set(op, known.add(recipient))
}

/** Counts a message before it is sent. Returns false if a limit is reached. */
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

/** A lowercase address without a tag (`ada+shop@…`); a number unchanged. */
function mailboxOf(recipient: string): string {
  return recipient.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@')
}
