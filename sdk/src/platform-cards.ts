import type { Answer, BodyInput, Caller, CallOptions, ItemOf, QueryInput } from './calls.ts'
import { paginate } from './paginate.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

/**
 * A card as the API shows it (specification 2.10). The number is not part of it: the page at `panEmbedUrl` shows it.
 */
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
 * The cards of a platform (specification 2.10). The operations that the cardholder signs, such as freezing and closing,
 * are in `SignedCard`.
 */
export class PlatformCards {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /**
   * Requests a card. It is `PROCESSING` until the issuer has issued it: see `waitUntilIssued`. Rejects with
   * CountersignError: 400 `CARDHOLDER_KYC_NOT_APPROVED`, 400 `FUNDING_SOURCE_INELIGIBLE`, which names the account, 409
   * `CONFLICT` for a `platformCardId` that another card has, 501 `NOT_IMPLEMENTED` where the server has no card
   * processor.
   */
  async create(
    body: BodyInput<'card_create'>,
    once: Pick<CallOptions, 'idempotencyKey' | 'signal'> = {},
  ): Promise<CardRecord> {
    return (await this.#caller.call('card_create', { ...once, body })).body
  }

  /** The newest first unless `sortOrder` is `asc`. */
  list(query: QueryInput<'card_list'> = {}): AsyncGenerator<CardRecord, void, undefined> {
    return paginate(this.#caller, 'card_list', { query })
  }

  /** Rejects with CountersignError: 404 `CARD_NOT_FOUND`. */
  async get(id: string): Promise<CardRecord> {
    return (await this.#caller.call('card_get', { params: { id } })).body
  }

  /** The purchases by the card, the newest first unless `sortOrder` is `asc`. */
  transactions(
    id: string,
    query: QueryInput<'card_transaction_list'> = {},
  ): AsyncGenerator<CardPurchase, void, undefined> {
    return paginate(this.#caller, 'card_transaction_list', { params: { id }, query })
  }

  /**
   * Waits until the issuer has answered: `ACTIVE`, or `CLOSED` with the `stateReason` `ISSUER_REJECTED`. A backend
   * should rather listen to the event `CARD.STATE_CHANGE`. Rejects with NotIssuedError on timeout.
   */
  async waitUntilIssued(id: string, options: WaitOptions = {}): Promise<CardRecord> {
    const params = { id }
    const { isOver, last, timeoutMs } = await waitUntil(
      async (signal) => (await this.#caller.call('card_get', { params, ...(signal && { signal }) })).body,
      ({ state }) => state !== 'PROCESSING' && state !== 'PENDING_KYC',
      options,
    )
    if (!isOver) throw new NotIssuedError(last, timeoutMs)
    return last
  }
}
