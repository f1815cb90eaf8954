/** Delivers messages to people. A member is undefined where its settings are missing: such a message cannot be sent. */
export interface Delivery {
  /** Sends an e-mail. Throws DeliveryError where a retry may succeed. */
  readonly email: ((email: OutgoingEmail) => Promise<Handover>) | undefined
  /** Sends a text message. Throws DeliveryError where a retry may succeed. */
  readonly sms: ((sms: OutgoingSms) => Promise<Handover>) | undefined
}

export interface OutgoingEmail {
  /** The same at every attempt, like all other members, so that a duplicate mail can be recognised. */
  readonly id: string
  readonly to: string
  /** Missing members are the server's. */
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

/** Accepted, or refused for good because the recipient cannot be reached. `reason` may be logged. */
export type Handover = { readonly accepted: true } | { readonly accepted: false; readonly reason: string }

/**
 * An attempt to send a message failed. The error's message may be logged: it does not contain the other side's text,
 * which may repeat the content.
 */
export class DeliveryError extends Error {}
