import { requireValue } from '../../base/formats/require-value.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { DeliveryError, type DeliveryOutcome } from '../../kernel/ports/delivery.ts'
import { update } from '../../storage/commit/writes.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import { endMessage, readContent } from './messages.ts'
import { type FoundMessage, selectMessage } from './store.ts'

/** While a code is valid, retries stay frequent, because a person is waiting for it. */
const RETRY_SECONDS_MAX = 30
const NOTICE_RETRY_SECONDS_MAX = 900

/**
 * Delivers a message at least once. Failed attempts are counted and retried with backoff. A code that is no
 * longer valid is not sent.
 */
export const deliverMessage: JobHandler<'message.deliver'> = async (op, payload) => {
  const found = await selectMessage(op, payload.messageId)
  // The customer was erased in the meantime.
  if (!found) return []
  const { message } = found
  if (message.state !== 'QUEUED') return []
  const reason = findReasonNotToSend(op, found)
  if (reason) return [endMessage(op, message, { event: 'fail', reason, attempts: message.attempts })]
  const attempts = message.attempts + 1
  try {
    const result = await submitMessage(op, message)
    if (result.accepted) return [endMessage(op, message, { event: 'deliver', attempts })]
    op.log.warn({ message: message.id, attempts, reason: result.reason }, 'message rejected by the gateway')
    return [endMessage(op, message, { event: 'fail', reason: 'REFUSED', attempts })]
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    op.log.warn(
      { message: message.id, attempts, reason: error.message },
      'failed to deliver message, will retry',
    )
    const retrySecondsMax = message.member_id === null ? RETRY_SECONDS_MAX : NOTICE_RETRY_SECONDS_MAX
    const waitSeconds = Math.min(retrySecondsMax, 2 ** (attempts - 1))
    return [
      update('messages', message.id, { state: message.state }, { attempts, updated_at: op.now }),
      job(op, 'message.deliver', { messageId: message.id }, addSeconds(op.now, waitSeconds)),
    ]
  }
}

/**
 * Finds why a message must no longer be sent: it has expired, its code was replaced, its address has changed,
 * or its member was removed. Null if it may be sent.
 */
function findReasonNotToSend(op: Op, { message, isStillNeeded }: FoundMessage): MessageRow['failure_reason'] {
  if (op.now >= message.expires_at) return 'EXPIRED'
  return isStillNeeded ? null : 'REPLACED'
}

async function submitMessage(op: Op, message: MessageRow): Promise<DeliveryOutcome> {
  const { id, recipient: to } = message
  const {
    text,
    html = '',
    from = {},
    replyTo,
  } = requireValue(readContent(op, message), 'content of a message that waits')
  if (message.channel === 'SMS') {
    if (!op.delivery.sms) throw new DeliveryError('SMS_URL is not set')
    return op.delivery.sms({ id, to, text })
  }
  if (!op.delivery.email) throw new DeliveryError('SMTP_URL is not set')
  const subject = message.subject ?? ''
  const replyToPart = replyTo === undefined ? {} : { replyTo }
  return op.delivery.email({ id, to, from, ...replyToPart, subject, text, html, date: message.created_at })
}
