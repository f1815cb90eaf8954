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
