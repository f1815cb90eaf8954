import { getOwnValue } from '@countersign/contract/core/objects'
import type { DeclineReason } from '../ports/card-processor.ts'
import type { Scenario } from './magic-values.ts'

/** Tables of card outcomes in the sandbox. */

/** The outcome of a new card, by the suffix of its `platformCardId`. All others become active immediately. */
export interface CardScenario extends Scenario<'PROCESSING' | 'CLOSED' | 'ACTIVE'> {
  readonly afterSeconds?: number
}

export const CARD_SCENARIOS: Readonly<Record<string, CardScenario>> = {
  '001': { outcome: 'PROCESSING', meaning: 'The issuer does not respond' },
  '002': { outcome: 'CLOSED', meaning: 'The issuer rejects it: ISSUER_REJECTED' },
  '005': { outcome: 'ACTIVE', meaning: 'Becomes active later', afterSeconds: 30 },
}

const ANY_OTHER_CARD: CardScenario = { outcome: 'ACTIVE', meaning: 'Becomes active immediately' }

/**
 * The outcome of a purchase, by the suffix of the merchant descriptor. All others are approved and pulled
 * immediately.
 */
export interface PurchaseScenario extends Scenario {
  readonly declined?: DeclineReason
  /** The time between claim and pull. */
  readonly pullAfterSeconds?: number
  readonly pullFails?: boolean
}

const SLOW_PULL_SECONDS = 30

export const PURCHASE_SCENARIOS: Readonly<Record<string, PurchaseScenario>> = {
  '002': {
    outcome: 'CARD_INSUFFICIENT_FUNDS',
    meaning: 'Declined: no funds',
    declined: 'CARD_INSUFFICIENT_FUNDS',
  },
  '003': { outcome: 'CARD_PAUSED', meaning: 'Declined as if the card were frozen', declined: 'CARD_PAUSED' },
  '005': {
    outcome: 'SETTLED',
    meaning: `Settled immediately; the cleared amount is pulled ${SLOW_PULL_SECONDS} seconds later`,
    pullAfterSeconds: SLOW_PULL_SECONDS,
  },
  '006': {
    outcome: 'EXCEPTION',
    meaning: 'The cleared amount cannot be pulled',
    pullFails: true,
  },
}

export function findPurchaseScenario(suffix: string): PurchaseScenario | undefined {
  return getOwnValue(PURCHASE_SCENARIOS, suffix)
}

export function findCardScenario(suffix: string): CardScenario {
  return getOwnValue(CARD_SCENARIOS, suffix) ?? ANY_OTHER_CARD
}
