import type { DeclineReason } from '../../kernel/ports/card-processor.ts'
import type { CardRow } from '../../storage/rows/card.ts'
import { toSourceUnits } from './claim-limit.ts'

/** Decides whether a card pays, and from which account. Pure. */

export interface FundingSource {
  readonly accountId: string
  readonly currency: string
  /** In the smallest unit of `currency`. */
  readonly available: bigint
  readonly isOpen: boolean
  /**
   * True if it can pay without its holder's signature. An embedded wallet can do so only with a key that is
   * delegated to the card.
   */
  readonly isUnlocked: boolean
}

export interface CardUse {
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
}

export type CardDecision =
  | { readonly isApproved: true; readonly accountId: string }
  | { readonly isApproved: false; readonly reason: DeclineReason }

const DECLINED_BY_STATE: Readonly<Record<CardRow['state'], DeclineReason | undefined>> = {
  PENDING_KYC: 'CARD_NOT_ACTIVE',
  PROCESSING: 'CARD_NOT_ACTIVE',
  ACTIVE: undefined,
  FROZEN: 'CARD_PAUSED',
  CLOSED: 'CARD_CLOSED',
}

export interface Cardholder {
  readonly isDeleted: boolean
}

/** Chooses the first source that can pay the whole amount. A purchase is never split between sources. */
export function decideUse(
  card: Pick<CardRow, 'state' | 'currency'>,
  { isDeleted }: Cardholder,
  sources: readonly FundingSource[],
  use: CardUse,
): CardDecision {
  const declineReason = isDeleted ? 'CARD_CLOSED' : DECLINED_BY_STATE[card.state]
  if (declineReason) return { isApproved: false, reason: declineReason }
  if (use.currency !== card.currency) return { isApproved: false, reason: 'CARD_CURRENCY_MISMATCH' }
  const source = sources.find(
    ({ isOpen, isUnlocked, currency, available }) =>
      isOpen && isUnlocked && available >= toSourceUnits(use.amount, card.currency, currency),
  )
  return source
    ? { isApproved: true, accountId: source.accountId }
    : { isApproved: false, reason: 'CARD_INSUFFICIENT_FUNDS' }
}
