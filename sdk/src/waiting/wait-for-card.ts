import type { Answer, Caller, ItemOf } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/** A card as the API shows it (specification 2.10). The number is not part of it: the page at `panEmbedUrl` shows it. */
export type CardRecord = Answer<'card_get'>['body']
/** One purchase, from its authorization to its returns. Amounts in the smallest unit of the card. */
export type CardPurchase = ItemOf<'card_transaction_list'>

/** The issuer did not decide about the card within the time. */
export class NotIssuedError extends Error {
  override readonly name = 'NotIssuedError'
  readonly card: CardRecord

  constructor(card: CardRecord, timeoutMs: number) {
    super(`${card.id} is still ${card.state} after ${timeoutMs} ms.`)
    this.card = card
  }
}

/**
 * Waits until the issuer has decided: `ACTIVE`, or `CLOSED` with the `stateReason` `ISSUER_REJECTED`. A
 * backend should rather listen to the event `CARD.STATE_CHANGE`. Rejects with NotIssuedError on timeout.
 */
export async function waitForCard(
  caller: Caller,
  id: string,
  options: WaitOptions = {},
): Promise<CardRecord> {
  const params = { id }
  const { isOver, last, timeoutMs } = await waitUntil(
    async (signal) => (await caller.call('card_get', { params, ...(signal && { signal }) })).body,
    ({ state }) => state !== 'PROCESSING' && state !== 'PENDING_KYC',
    options,
  )
  if (!isOver) throw new NotIssuedError(last, timeoutMs)
  return last
}
