/**
 * Delivers messages to people. A channel that is not configured is undefined, and its messages cannot be
 * sent.
 */
export interface Delivery {
  /** Sends an email. Throws DeliveryError if a retry may succeed. */
  readonly email: ((email: OutgoingEmail) => Promise<DeliveryOutcome>) | undefined
  /** Sends a text message. Throws DeliveryError if a retry may succeed. */
  readonly sms: ((sms: OutgoingSms) => Promise<DeliveryOutcome>) | undefined
}

export interface OutgoingEmail {
  /** Identical for every attempt, like all other fields, so that duplicate emails can be recognized. */
  readonly id: string
  readonly to: string
  /** Missing fields default to the server's. */
  readonly from: { readonly name?: string; readonly address?: string }
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly date: Date
}

export interface OutgoingSms {
  readonly id: string
  /** In E.164 format. */
  readonly to: string
  readonly text: string
}

/**
 * The message was accepted, or rejected permanently because the recipient cannot be reached. `reason` may be
 * logged.
 */
export type DeliveryOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string }

/**
 * A delivery attempt failed. The message may be logged: it does not include the provider's response, which
 * may repeat the content.
 */
export class DeliveryError extends Error {}
