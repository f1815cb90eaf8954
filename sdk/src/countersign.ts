import type { EndpointName } from '@countersign/contract/api'
import type { Answer, Arguments, Caller, Input, ItemOf, PagedName, SignedName } from './calls.ts'
import { Client, type ClientOptions } from './client.ts'
import { DelegatedKeys } from './delegated-keys.ts'
import { paginate } from './paginate.ts'
import { PlatformAgents } from './platform-agents.ts'
import { PlatformCards } from './platform-cards.ts'
import { type SignedAnswer, signed } from './signed.ts'
import { SignedCard } from './signed-card.ts'
import type { Signer } from './signer.ts'
import { type CustomerImport, type ImportWaitOptions, waitForImport } from './wait-for-import.ts'
import { type Transaction, waitForTransaction } from './wait-for-transaction.ts'
import type { WaitOptions } from './wait-until.ts'
import { Wallet, type WalletOptions } from './wallet.ts'

/**
 * The API as a platform uses it, in one object:
 *
 *     const countersign = new Countersign({ baseUrl, tokenId, clientSecret })
 *     const wallet = countersign.wallet(accountId, { confirm: showThePayment })
 *     const session = await wallet.email.signIn({ code: askTheCustomer })
 *     const { body: quote } = await countersign.signed('quote_execute', { params: { quoteId } }, session)
 *     await countersign.waitForTransaction(quote.transactionId)
 *
 * Each part is also a function or a class that takes a `Caller`: `client.ts`, `wallet.ts`, `signed.ts` and so on.
 */
export class Countersign implements Caller {
  /** The platform's agents. An agent itself uses `Agent`. */
  readonly agents: PlatformAgents
  /** The platform's cards. Signed operations on one of them: `signedCard(id)`. */
  readonly cards: PlatformCards
  /** The keys that let cards be paid from embedded wallets. */
  readonly delegatedKeys: DelegatedKeys
  readonly #client: Client

  constructor(options: ClientOptions) {
    this.#client = new Client(options)
    this.agents = new PlatformAgents(this.#client)
    this.cards = new PlatformCards(this.#client)
    this.delegatedKeys = new DelegatedKeys(this.#client)
  }

  /** See `Client.call`. */
  async call<N extends EndpointName>(...args: Arguments<N>): Promise<Answer<N>> {
    return this.#client.call<N>(...args)
  }

  /** See `paginate`. */
  paginate<N extends PagedName>(...args: Arguments<N>): AsyncGenerator<ItemOf<N>, void, undefined> {
    return paginate<N>(this.#client, ...args)
  }

  /** See `signed`. */
  async signed<N extends SignedName>(name: N, input: Input<N>, signer: Signer): Promise<SignedAnswer<N>> {
    return signed(this.#client, name, input, signer)
  }

  /** See `waitForTransaction`. */
  async waitForTransaction(transactionId: string, options?: WaitOptions): Promise<Transaction> {
    return waitForTransaction(this.#client, transactionId, options)
  }

  /** See `waitForImport`. */
  async waitForImport(jobId: string, options?: ImportWaitOptions): Promise<CustomerImport> {
    return waitForImport(this.#client, jobId, options)
  }

  /** See `Client.quorumPublicKey`. */
  async quorumPublicKey(): Promise<string> {
    return this.#client.quorumPublicKey()
  }

  /** See `Wallet`. Without `quorumPublicKey`, the key is fetched once from the server itself. */
  wallet(accountId: string, options: Partial<WalletOptions> = {}): Wallet {
    const quorumPublicKey = () => this.#client.quorumPublicKey()
    return new Wallet(this.#client, accountId, { quorumPublicKey, ...options })
  }

  /** See `SignedCard`: freezes, unfreezes and closes a card, and replaces its funding sources. */
  signedCard(cardId: string): SignedCard {
    return new SignedCard(this.#client, cardId)
  }
}
