import type { BodyInput, Caller } from './calls.ts'
import type { CardRecord } from './cards.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/**
 * One card, with what its holder decides about it (specification 4.10). Each of these takes a session of the
 * cardholder's embedded wallet, also where the card is paid from other accounts, and does both legs of the signed retry:
 *
 *     await countersign.card(cardId).freeze(session)
 *
 * Each gives the card as it is then, and rejects with CountersignError: 409 `INVALID_STATE_TRANSITION` where its state
 * does not allow that (again where it changed while the holder was signing), 404 `CARD_NOT_FOUND`, and 401 for a session
 * that is over or of somebody else. What was authorized before goes on whatever becomes of the card.
 */
export class Card {
  readonly id: string
  readonly #caller: Caller

  constructor(caller: Caller, id: string) {
    this.#caller = caller
    this.id = id
  }

  /** From `ACTIVE`: new purchases are declined until `unfreeze`. */
  async freeze(session: Signer): Promise<CardRecord> {
    return this.update({ state: 'FROZEN' }, session)
  }

  /** From `FROZEN` back to `ACTIVE`. */
  async unfreeze(session: Signer): Promise<CardRecord> {
    return this.update({ state: 'ACTIVE' }, session)
  }

  /** For good. The keys that were delegated to the card are revoked with it. */
  async close(session: Signer): Promise<CardRecord> {
    return this.update({ state: 'CLOSED' }, session)
  }

  /**
   * Replaces the accounts that pay, in the order in which they are tried: accounts of the cardholder in the currency of
   * the card. Rejects with CountersignError 400 `FUNDING_SOURCE_INELIGIBLE` naming the one that is not.
   */
  async setFundingSources(fundingSources: readonly string[], session: Signer): Promise<CardRecord> {
    return this.update({ fundingSources: [...fundingSources] }, session)
  }

  /** State and funding sources under one signature. `CLOSED` goes without funding sources. */
  async update(body: BodyInput<'card_update'>, session: Signer): Promise<CardRecord> {
    const { id } = this
    return (await signed(this.#caller, 'card_update', { params: { id }, body }, session)).body
  }
}
