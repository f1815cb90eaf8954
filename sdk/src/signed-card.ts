import type { BodyInput, Caller } from './calls.ts'
import type { CardRecord } from './platform-cards.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/**
 * One card, with the operations that its holder signs (specification 4.10). Each operation takes a session of the
 * cardholder's embedded wallet, also where other accounts fund the card, and makes both calls of the signed retry:
 *
 *     await countersign.card(cardId).freeze(session)
 *
 * Each returns the card after the change, and rejects with CountersignError: 409 `INVALID_STATE_TRANSITION` where its
 * state does not allow the change (also where it changed while the holder was signing), 404 `CARD_NOT_FOUND`, and 401
 * for a session that has expired or belongs to another holder. Earlier authorizations stay valid in every state of the
 * card.
 */
export class SignedCard {
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

  /** Closes the card for good. Its delegated keys are revoked with it. */
  async close(session: Signer): Promise<CardRecord> {
    return this.update({ state: 'CLOSED' }, session)
  }

  /**
   * Replaces the funding sources, in the order in which they are tried: accounts of the cardholder in the currency of
   * the card. Rejects with CountersignError 400 `FUNDING_SOURCE_INELIGIBLE`, which names the account that is not.
   */
  async setFundingSources(fundingSources: readonly string[], session: Signer): Promise<CardRecord> {
    return this.update({ fundingSources: [...fundingSources] }, session)
  }

  /** Sets state and funding sources with one signature. `CLOSED` excludes funding sources. */
  async update(body: BodyInput<'card_update'>, session: Signer): Promise<CardRecord> {
    const { id } = this
    return (await signed(this.#caller, 'card_update', { params: { id }, body }, session)).body
  }
}
