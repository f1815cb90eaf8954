import type {
  CardAuthorizationEvent,
  CardClearingEvent,
  CardReturnEvent,
  DECLINE_REASONS,
} from '@countersign/contract/cards/card-processor'
import type { Static } from 'typebox'
import type { CardRow, CardTransactionRow } from '../../storage/rows/card.ts'

/**
 * An issuer-processor. It issues cards and keeps their numbers, requests an authorization before a card pays,
 * and reports the claims of merchants. `describeCardProcessor` in the tests checks implementations against
 * this contract.
 */
export interface CardProcessor {
  /** Requests a card or its outcome. Idempotent: a repeated request concerns the same card. */
  provision(request: ProvisionRequest): Promise<Provision>
  /** Reports that a card is ACTIVE, FROZEN or CLOSED here. Idempotent. */
  updateState(processorRef: string, state: CardRow['state']): Promise<void>
  /**
   * Parses the body of `POST /card-processor/events`; the caller validates it against the schema. Undefined
   * if the signature over the exact bytes is invalid. Does not throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /** Plans how a claim at the time `now` is taken from the funding source of the purchase. Does not throw. */
  pullPlan(purchase: Pick<CardTransactionRow, 'merchant'>, now: Date): PullPlan
}

/** The time at which a claim is taken from the funding source, or a decline. */
export interface PullPlan {
  /** At `now` or later. */
  readonly at: Date
  readonly fails: boolean
}

/** The `platformCardId` of a card created without one. */
export function derivePlatformCardId(cardId: string): string {
  return cardId.slice('Card:'.length)
}

export interface ProvisionRequest {
  readonly cardId: string
  readonly platformCardId: string
  readonly currency: string
  /** The time of the first request and the current time, by the clock of the platform. */
  readonly requestedAt: Date
  readonly now: Date
}

export type Provision =
  /** `askAgainAt` undefined: there will be no outcome. */
  | { readonly outcome: 'pending'; readonly askAgainAt: Date | undefined }
  | ({ readonly outcome: 'active' } & ProvisionedCard)
  | { readonly outcome: 'rejected' }

/** A card as its processor issued it, without its number. */
export interface ProvisionedCard {
  readonly brand: 'VISA' | 'MASTERCARD'
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  /**
   * URL of the page that shows number, code and expiry; below this server's own URL if it begins with a
   * slash.
   */
  readonly panEmbedUrl: string
  readonly processorRef: string
  readonly issuerRef: string
}

/** Requests an authorization. The response must come within two seconds. */
export type AuthorizationEvent = Static<typeof CardAuthorizationEvent>
/** The merchant claims `amount`; 0 means nothing more. */
export type ClearingEvent = Static<typeof CardClearingEvent>
/** The merchant returns `amount`. */
export type ReturnEvent = Static<typeof CardReturnEvent>

export type ProcessorEvent = AuthorizationEvent | ClearingEvent | ReturnEvent

export type DeclineReason = (typeof DECLINE_REASONS)[number]
