import type { Config } from '../../base/settings/config.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Delivery } from '../../kernel/ports/delivery.ts'
import type { MessageRow } from '../../storage/rows/sign-in.ts'
import { smsSender } from './sms.ts'
import { emailSender } from './smtp.ts'

/** The timeout for handing over one message, from connecting to the final response. */
export const HANDOVER_MS_MAX = 10_000

/** The sandbox never sends messages (specification 5.6), whatever is configured. */
export function createDelivery(config: Pick<Config, 'mode' | 'smtp' | 'sms'>): Delivery {
  if (config.mode === 'sandbox') return { email: undefined, sms: undefined }
  return {
    email: config.smtp && emailSender(config.smtp, HANDOVER_MS_MAX),
    sms: config.sms && smsSender(config.sms, HANDOVER_MS_MAX),
  }
}

/** The channel that delivers a credential's codes. */
export const CHANNELS = { EMAIL_OTP: 'EMAIL', SMS_OTP: 'SMS' } as const

/**
 * True if messages can be delivered through this channel. In the sandbox they always can: they go to the
 * inbox.
 */
export function canDeliver(op: Pick<Op, 'mode' | 'delivery'>, channel: MessageRow['channel']): boolean {
  if (op.mode === 'sandbox') return true
  return (channel === 'EMAIL' ? op.delivery.email : op.delivery.sms) !== undefined
}
