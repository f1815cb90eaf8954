import type { Config } from '../../base/settings/config.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Delivery } from '../../kernel/ports/delivery.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import { createSmsSender } from './sms.ts'
import { createEmailSender } from './smtp.ts'

/** The timeout for sending one message, from connecting to the final response. */
export const SEND_TIMEOUT_MS = 10_000

/** The sandbox never sends messages (specification 5.6), whatever is configured. */
export function createDelivery(config: Pick<Config, 'mode' | 'smtp' | 'sms'>): Delivery {
  if (config.mode === 'sandbox') return { email: undefined, sms: undefined }
  return {
    email: config.smtp && createEmailSender(config.smtp, SEND_TIMEOUT_MS),
    sms: config.sms && createSmsSender(config.sms, SEND_TIMEOUT_MS),
  }
}

/** The channel that delivers a credential's codes. */
export const CHANNELS = { EMAIL_OTP: 'EMAIL', SMS_OTP: 'SMS' } as const

/**
 * True if this server can deliver messages through the channel. The sandbox always can: its messages go to
 * the inbox.
 */
export function canDeliver(op: Pick<Op, 'mode' | 'delivery'>, channel: MessageRow['channel']): boolean {
  if (op.mode === 'sandbox') return true
  return (channel === 'EMAIL' ? op.delivery.email : op.delivery.sms) !== undefined
}
