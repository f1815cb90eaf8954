import type { Op } from '../app.ts'
import type { Config } from '../config.ts'
import { smsSender } from './sms.ts'
import { emailSender } from './smtp.ts'

/** How messages reach people. What is undefined has no settings: such a message cannot be sent. */
export interface Delivery {
  /** Hands an e-mail over. Throws DeliveryError where that may succeed later. */
  readonly email: ((email: OutgoingEmail) => Promise<Handover>) | undefined
  /** Hands a text message over. Throws DeliveryError where that may succeed later. */
  readonly sms: ((sms: OutgoingSms) => Promise<Handover>) | undefined
}

export interface OutgoingEmail {
  /** The same at every try, as is all that follows: a mail that arrives twice can be recognised. */
  readonly id: string
  readonly to: string
  /** What is missing is the server's. */
  readonly from: { readonly name?: string; readonly address?: string }
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly date: Date
}

export interface OutgoingSms {
  readonly id: string
  /** E.164. */
  readonly to: string
  readonly text: string
}

/** Taken over, or refused for good: this recipient cannot be reached. `reason` is fit for a log. */
export type Handover = { readonly accepted: true } | { readonly accepted: false; readonly reason: string }

/**
 * A message could not be handed over for now. Its message is fit for a log: what the other side wrote is not in it, as
 * that may repeat what it was sent.
 */
export class DeliveryError extends Error {}

/** How long one message may take to be handed over, from the first packet to the last answer. */
export const HANDOVER_MS_MAX = 10_000

/** The sandbox sends nothing (specification 5.6), whatever the settings. */
export function createDelivery(config: Pick<Config, 'mode' | 'smtp' | 'sms'>): Delivery {
  if (config.mode === 'sandbox') return { email: undefined, sms: undefined }
  return {
    email: config.smtp && emailSender(config.smtp, HANDOVER_MS_MAX),
    sms: config.sms && smsSender(config.sms, HANDOVER_MS_MAX),
  }
}

/** How the codes of a credential go out. */
export const CHANNELS = { EMAIL_OTP: 'EMAIL', SMS_OTP: 'SMS' } as const

/** Whether a code for a credential of this type has a way out. In sandbox it has: into the inbox. */
export function canDeliver(op: Pick<Op, 'mode' | 'delivery'>, type: keyof typeof CHANNELS): boolean {
  if (op.mode === 'sandbox') return true
  return (type === 'EMAIL_OTP' ? op.delivery.email : op.delivery.sms) !== undefined
}
