import { requireValue } from '../../base/formats/require-value.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { DeliveryError, type Handover } from '../../kernel/ports/delivery.ts'
import { update } from '../../storage/commit/writes.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import { endMessage, readContent } from './messages.ts'
import { type FoundMessage, selectMessage } from './store.ts'

/** While a code is valid, retries stay frequent, because a person is waiting for it. */
const RETRY_SECONDS_MAX = 30
const NOTICE_RETRY_SECONDS_MAX = 900

/**
 * Delivers a message at least once. Failed attempts are counted and retried with a backoff. A code that is no
 * longer valid is not sent.
 */
export const deliverMessage: JobHandler<'message.deliver'> = async (op, payload) => {
  const found = await selectMessage(op, payload.messageId)
  // The customer was erased in the meantime.
  if (!found) return []
  const { message } = found
  if (message.state !== 'QUEUED') return []
  const reason = reasonNotToSend(op, found)
  if (reason) return [endMessage(op, message, { event: 'fail', reason, attempts: message.attempts })]
  const attempts = message.attempts + 1
  try {
    const handover = await handOver(op, message)
    if (handover.accepted) return [endMessage(op, message, { event: 'deliver', attempts })]
    op.log.warn({ message: message.id, attempts, reason: handover.reason }, 'message refused')
    return [endMessage(op, message, { event: 'fail', reason: 'REFUSED', attempts })]
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    op.log.warn({ message: message.id, attempts, reason: error.message }, 'message not delivered yet')
    const longest = message.member_id === null ? RETRY_SECONDS_MAX : NOTICE_RETRY_SECONDS_MAX
    const wait = Math.min(longest, 2 ** (attempts - 1))
    return [
      update('messages', message.id, { state: message.state }, { attempts, updated_at: op.now }),
      job(op, 'message.deliver', { messageId: message.id }, plusSeconds(op.now, wait)),
    ]
  }
}

/**
 * Why a message is no longer sent: it has expired, or its code was replaced, the address has changed, or the
 * member was removed. Null if it is still wanted.
 */
function reasonNotToSend(op: Op, { message, isWanted }: FoundMessage): MessageRow['failure_reason'] {
  if (op.now >= message.expires_at) return 'EXPIRED'
  return isWanted ? null : 'REPLACED'
}

async function handOver(op: Op, message: MessageRow): Promise<Handover> {
  const { id, recipient: to } = message
  const {
    text,
    html = '',
    from = {},
    replyTo,
  } = requireValue(readContent(op, message), 'content of a message that waits')
  if (message.channel === 'SMS') {
    if (!op.delivery.sms) throw new DeliveryError('This server has no SMS_URL')
    return op.delivery.sms({ id, to, text })
  }
  if (!op.delivery.email) throw new DeliveryError('This server has no SMTP_URL')
  const subject = message.subject ?? ''
  const more = replyTo === undefined ? {} : { replyTo }
  return op.delivery.email({ id, to, from, ...more, subject, text, html, date: message.created_at })
}
