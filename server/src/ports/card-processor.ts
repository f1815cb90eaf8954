import type {
  CardAuthorizationEvent,
  CardClearingEvent,
  CardReturnEvent,
  DECLINE_REASONS,
} from '@countersign/contract/cards/card-processor'
import type { Static } from 'typebox'
import type { CardRow, CardTransactionRow } from '../db/schema/card-tables.ts'

/**
 * What an issuer-processor is to this server. It makes cards and keeps their numbers, tells of every use and of what
 * merchants claim, and asks before a card pays. `describeCardProcessor` of the tests holds an implementation to this
 * contract.
 */
export interface CardProcessor {
  /** Asks for a card, or what has become of it. Asked again for the same card, it answers about the same one. */
  provision(request: ProvisionRequest): Promise<Provision>
  /** Says that a card is ACTIVE, FROZEN or CLOSED here. May be said again. */
  updateState(processorRef: string, state: CardRow['state']): Promise<void>
  /**
   * Reads what it sends to `POST /card-processor/events`, as an event of the contract; who asked holds it to the schema.
   * Undefined where the signature over the exact bytes is not right. Does not throw.
   */
  readEvent(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /** How what is claimed `now` of a purchase is taken from the account that pays it. Does not throw. */
  pullPlan(purchase: Pick<CardTransactionRow, 'merchant'>, now: Date): PullPlan
}

/** How what was claimed is taken: at once, later, or not at all. */
export interface PullPlan {
  /** `now` or after it. */
  readonly at: Date
  readonly fails: boolean
}

/** The `platformCardId` of a card that was made without one. */
export function madeUpPlatformCardId(cardId: string): string {
  return cardId.slice('Card:'.length)
}

export interface ProvisionRequest {
  readonly cardId: string
  readonly platformCardId: string
  readonly currency: string
  /** When it was asked for first, and the present time, by the clock of the platform. */
  readonly requestedAt: Date
  readonly now: Date
}

export type Provision =
  /** `askAgainAt` undefined: it will not say. */
  | { readonly outcome: 'pending'; readonly askAgainAt: Date | undefined }
  | ({ readonly outcome: 'active' } & ProvisionedCard)
  | { readonly outcome: 'rejected' }

/** A card as its processor made it, without its number. */
export interface ProvisionedCard {
  readonly brand: 'VISA' | 'MASTERCARD'
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  /** Of the page that shows number, code and expiry; below this server's own address where it begins with a slash. */
  readonly panEmbedUrl: string
  readonly processorRef: string
  readonly issuerRef: string
}

/** May it be paid? Answered within two seconds. */
export type AuthorizationEvent = Static<typeof CardAuthorizationEvent>
/** The merchant claims `amount`; 0: nothing more. */
export type ClearingEvent = Static<typeof CardClearingEvent>
/** The merchant gives `amount` back. */
export type ReturnEvent = Static<typeof CardReturnEvent>

export type ProcessorEvent = AuthorizationEvent | ClearingEvent | ReturnEvent

/** Why a card does not pay. */
export type DeclineReason = (typeof DECLINE_REASONS)[number]
