import type {
  CardAuthorizationEvent,
  CardClearingEvent,
  CardReturnEvent,
  DECLINE_REASONS,
} from '@countersign/contract/cards/card-processor'
import type { Static } from 'typebox'
import type { CardRow, CardTransactionRow } from '../../storage/rows/card.ts'

/**
 * An issuer processor. It issues cards and stores their numbers, asks for authorization before a card pays,
 * and reports what merchants claim. `describeCardProcessor` in the tests checks that implementations fulfill
 * this contract.
 */
export interface CardProcessor {
  /**
   * Requests a card, or the outcome of an earlier request. Idempotent: repeated requests are about the same
   * card.
   */
  provision(request: ProvisionRequest): Promise<Provision>
  /** Reports that a card is ACTIVE, FROZEN or CLOSED here. Idempotent. */
  updateState(processorRef: string, state: CardRow['state']): Promise<void>
  /**
   * Parses the body of `POST /card-processor/events`, which the caller then validates against the schema.
   * Undefined if the signature over the exact bytes is invalid. Does not throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /** Plans when a claim made at `now` is pulled from the funding source of the purchase. Does not throw. */
  pullPlan(purchase: Pick<CardTransactionRow, 'merchant'>, now: Date): PullPlan
}

/** When a claim is pulled from the funding source, or why it is declined. */
export interface PullPlan {
  /** Not before `now`. */
  readonly at: Date
  readonly fails: boolean
}

/** The `platformCardId` for a card created without one. */
export function derivePlatformCardId(cardId: string): string {
  return cardId.slice('Card:'.length)
}

export interface ProvisionRequest {
  readonly cardId: string
  readonly platformCardId: string
  readonly currency: string
  /** The time of the first request and the current time, both by the platform's clock. */
  readonly requestedAt: Date
  readonly now: Date
}

export type Provision =
  /** If `pollAt` is undefined, there will never be an outcome. */
  | { readonly outcome: 'pending'; readonly pollAt: Date | undefined }
  | ({ readonly outcome: 'active' } & ProvisionedCard)
  | { readonly outcome: 'rejected' }

/** A card as issued by its processor, without its number. */
export interface ProvisionedCard {
  readonly brand: 'VISA' | 'MASTERCARD'
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  /**
   * The URL of the page that shows number, code and expiry. A URL that begins with a slash is relative to
   * this server.
   */
  readonly panEmbedUrl: string
  readonly processorRef: string
  readonly issuerRef: string
}

/** Asks for authorization. The response must arrive within two seconds. */
export type AuthorizationEvent = Static<typeof CardAuthorizationEvent>
/** The merchant claims `amount`. 0 means that nothing more will be claimed. */
export type ClearingEvent = Static<typeof CardClearingEvent>
/** The merchant returns `amount`. */
export type ReturnEvent = Static<typeof CardReturnEvent>

export type ProcessorEvent = AuthorizationEvent | ClearingEvent | ReturnEvent

export type DeclineReason = (typeof DECLINE_REASONS)[number]
