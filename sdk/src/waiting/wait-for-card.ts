import type { Answer, Caller, ItemOf } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/**
 * A card as returned by the API (specification 2.10). It does not include the card number, which the page at
 * `panEmbedUrl` shows.
 */
export type CardRecord = Answer<'card_get'>['body']
/**
 * A purchase, from its authorization to its refunds. Amounts are in the smallest unit of the card's currency.
 */
export type CardPurchase = ItemOf<'card_transaction_list'>

/** The issuer has not decided on the card within the timeout. */
export class NotIssuedError extends Error {
  override readonly name = 'NotIssuedError'
  readonly card: CardRecord

  constructor(card: CardRecord, timeoutMs: number) {
    super(`${card.id} is still ${card.state} after ${timeoutMs} ms.`)
    this.card = card
  }
}

/**
 * Waits for the issuer's decision: `ACTIVE`, or `CLOSED` with the `stateReason` `ISSUER_REJECTED`. In a
 * backend, prefer the event `CARD.STATE_CHANGE`. Rejects with NotIssuedError on timeout.
 */
export async function waitForCard(
  caller: Caller,
  id: string,
  options: WaitOptions = {},
): Promise<CardRecord> {
  const params = { id }
  const { isFinished, last, timeoutMs } = await waitUntil(
    async (signal) => (await caller.call('card_get', { params, ...(signal && { signal }) })).body,
    ({ state }) => state !== 'PROCESSING' && state !== 'PENDING_KYC',
    options,
  )
  if (!isFinished) throw new NotIssuedError(last, timeoutMs)
  return last
}
