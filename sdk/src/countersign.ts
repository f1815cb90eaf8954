import type {
  Answer,
  Arguments,
  Caller,
  EndpointName,
  Input,
  ItemOf,
  PagedName,
  SignedName,
} from './client/calls.ts'
import { Client, type ClientOptions } from './client/client.ts'
import type { AccessToken, ClientCredentials } from './client/credentials.ts'
import { getEndpoints } from './client/endpoints.ts'
import { type FollowOptions, followEvents, type PlatformEvent } from './client/follow-events.ts'
import { paginate } from './client/paginate.ts'
import { CredentialsError, findCredentials } from './credentials/stored-credentials.ts'
import type { Nouns } from './generated/nouns.ts'
import { createStrictPrototype, nounsOf } from './nouns/nouns.ts'
import { type SignedAnswer, signed } from './signing/signed-retry.ts'
import type { Signer } from './signing/signer.ts'
import { type CardRecord, waitForCard } from './waiting/wait-for-card.ts'
import { type CustomerImport, type ImportWaitOptions, waitForImport } from './waiting/wait-for-import.ts'
import {
  type PayoutBatch,
  type PayoutWaitOptions,
  waitForPayoutBatch,
} from './waiting/wait-for-payout-batch.ts'
import { type Transaction, waitForTransaction } from './waiting/wait-for-transaction.ts'
import type { WaitOptions } from './waiting/wait-until.ts'
import { Wallet, type WalletOptions } from './wallet/wallet.ts'

/** Client options for when address and credentials are stored elsewhere. */
export interface StoredOptions extends Omit<ClientOptions, 'baseUrl' | keyof ClientCredentials> {
  /** The name of a profile created by `countersign login`. */
  readonly profile?: string
}

/** The members of `Countersign` except the nouns. */
class Core implements Caller {
  readonly #client: Client
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
    this.#client = new Client(options)
    const nouns = nounsOf(this.#client)
    for (const [noun, verbs] of Object.entries(nouns))
      Object.defineProperty(this, noun, { value: verbs, enumerable: true })
  }

  /**
   * Creates a client with stored credentials, searched in the same order as in the CLI: the profile given
   * here or in `COUNTERSIGN_PROFILE`; the variables `COUNTERSIGN_BASE_URL`, `COUNTERSIGN_TOKEN_ID` and
   * `COUNTERSIGN_CLIENT_SECRET`; `credentials.json` in the data directory; the default profile. Throws
   * CredentialsError if no credentials are found.
   */
  static fromEnv({ profile, ...options }: StoredOptions = {}): Countersign {
    const env = globalThis.process?.env ?? {}
    const found = findCredentials(env, { profile })
    if (!found) throw new CredentialsError(NO_CREDENTIALS)
    const wireWord = options.wireWord ?? env.COUNTERSIGN_WIRE_WORD
    return new Countersign({ ...options, ...found, ...(wireWord && { wireWord }) })
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

  /** See `waitForPayoutBatch`. */
  async waitForPayoutBatch(payoutBatchId: string, options?: PayoutWaitOptions): Promise<PayoutBatch> {
    return waitForPayoutBatch(this.#client, payoutBatchId, options)
  }

  /** See `waitForCard`. */
  async waitForCard(cardId: string, options?: WaitOptions): Promise<CardRecord> {
    return waitForCard(this.#client, cardId, options)
  }

  /** Creates a client for the same server with the token of an agent or a customer. */
  withAccessToken(accessToken: AccessToken): Countersign {
    const { tokenId: _, clientSecret: __, ...connection } = this.#options
    return new Countersign({ ...connection, accessToken })
  }

  /** See `followEvents`. */
  followEvents(options?: FollowOptions): AsyncGenerator<PlatformEvent, void, undefined> {
    return followEvents(this.#client, options)
  }

  /** See `Client.quorumPublicKey`. */
  async quorumPublicKey(): Promise<string> {
    return this.#client.quorumPublicKey()
  }

  /** Creates a wallet, see `Wallet`. If `quorumPublicKey` is omitted, it is fetched once from the server. */
  wallet(accountId: string, options: Partial<WalletOptions> = {}): Wallet {
    const quorumPublicKey = () => this.#client.quorumPublicKey()
    return new Wallet(this.#client, accountId, { quorumPublicKey, ...options })
  }
}

const NO_CREDENTIALS =
  'No credentials found. Set COUNTERSIGN_BASE_URL, COUNTERSIGN_TOKEN_ID and COUNTERSIGN_CLIENT_SECRET, or log in: npx countersign login'

// An unknown name, such as `countersign.customer`, throws an error that suggests the right one.
Object.setPrototypeOf(
  Core.prototype,
  createStrictPrototype('countersign', () => [
    ...new Set([...getEndpoints().values()].flatMap(({ noun, isStream }) => (isStream ? [] : [noun]))),
    ...Object.getOwnPropertyNames(Core.prototype),
  ]),
)

/**
 * The API, as nouns and verbs:
 *
 *     const countersign = new Countersign({ baseUrl, tokenId, clientSecret })
 *     const customer = await countersign.customers.create({ customerType: 'INDIVIDUAL', … })
 *     for await (const transaction of countersign.transactions.list({ customerId })) …
 *     const quote = await countersign.quotes.execute(quoteId, { signer: session })
 *     await countersign.waitForTransaction(quote.transactionId)
 *
 * The arguments are the path parameters, then the body or the query, then options. A verb resolves to the
 * response body. It rejects with CountersignError for an error response, with ConnectionError if there is no
 * response, and with SignatureRequiredError if a wallet must sign and no signer was given; use `call` to get
 * the whole response.
 */
export type Countersign = Core & Nouns
export const Countersign = Core as unknown as {
  new (options: ClientOptions): Countersign
  fromEnv(options?: StoredOptions): Countersign
}
