import type {
  AgentCallName,
  Answer,
  Arguments,
  BodyInput,
  CallOptions,
  ItemOf,
  PagedName,
  QueryInput,
} from './client/calls.ts'
import { Client, type ClientOptions } from './client/client.ts'
import { paginate } from './client/paginate.ts'
import { type AgentAction, type DecidedAction, waitUntilDecided } from './waiting/wait-for-decision.ts'
import { type Transaction, waitUntilFinal } from './waiting/wait-for-transaction.ts'
import type { WaitOptions } from './waiting/wait-until.ts'

/** The connection to the API: `ClientOptions` without a platform's credentials. */
export type AgentConnection = Omit<ClientOptions, 'tokenId' | 'clientSecret' | 'accessToken'>

/**
 * The agent's own record: its customer, its policy, how much of its limits is used, and whether it is paused.
 */
export type OwnAgent = Answer<'agent_me_get'>['body']

export type AgentQuote = Answer<'agent_me_quote_get'>['body']
export type PolicyAnswer = Answer<'agent_me_policy_simulate'>['body']

type ListName = AgentCallName & PagedName

/** Options of calls that move money or create something. */
type WriteOptions = Pick<CallOptions, 'idempotencyKey' | 'signal'>

/**
 * The API for agents (specification 4.8, 4.9, 5.2). An agent acts for one customer and cannot see other
 * customers' data:
 *
 *     const agent = await Agent.redeem({ baseUrl, code })
 *     const quote = await agent.createQuote({ source, destination, lockedCurrencySide, lockedCurrencyAmount })
 *     const action = await agent.executeQuote(quote.id)
 *     const decided = await agent.waitForDecision(action.id)
 *
 * Calls that move money have an `Idempotency-Key`, so they can be retried safely, and the policy decides:
 * - They are executed immediately, or wait for the platform's approval (`PENDING_APPROVAL`).
 * - They are denied with CountersignError 403 `FORBIDDEN` or `VELOCITY_LIMIT_EXCEEDED`; `details` has the
 *   rule, and for a limit also `asked` and `left`.
 *
 * Amounts are `bigint`, in the smallest unit of their currency.
 */
export class Agent {
  readonly #client: Client
  /**
   * The agent's credential: store it safely. It is issued only once, and is valid until the agent is deleted
   * or redeems another code.
   */
  readonly accessToken: string

  private constructor(client: Client, accessToken: string) {
    this.#client = client
    this.accessToken = accessToken
  }

  /**
   * Redeems a device code, which works once and expires after 15 minutes; case and hyphens are ignored.
   * Revokes the agent's previous token.
   *
   * - Never retries. If the response is lost, the code has been used up, and the platform must create a new
   *   one.
   * - Rejects with CountersignError 404 `DEVICE_CODE_NOT_FOUND` for an unknown, used or expired code.
   * - Rejects with CountersignError 429 `RATE_LIMITED` after too many attempts.
   */
  static async redeem({ code, ...connection }: AgentConnection & { readonly code: string }): Promise<Agent> {
    const { body } = await new Client(connection).call('agent_device_code_redeem', { params: { code } })
    return Agent.withToken({ ...connection, accessToken: body.accessToken })
  }

  /** Connects as an agent whose `accessToken` was stored earlier. */
  static withToken(connection: AgentConnection & { readonly accessToken: string }): Agent {
    return new Agent(new Client(connection), connection.accessToken)
  }

  /**
   * Calls one of the agent endpoints by its name in the contract, see `Client.call`. The methods below use
   * it.
   */
  async call<N extends AgentCallName>(...args: Arguments<N>): Promise<Answer<N>> {
    return this.#client.call<N>(...args)
  }

  /** Iterates over a paginated list, see `paginate`: `agent.paginate('agent_me_transaction_list')`. */
  paginate<N extends ListName>(...args: Arguments<N>): AsyncGenerator<ItemOf<N>, void, undefined> {
    return paginate<N>(this.#client, ...args)
  }

  async me(): Promise<OwnAgent> {
    return (await this.call('agent_me_get')).body
  }

  /**
   * Checks an action against the policy. Nothing is executed, reserved or recorded, and balances are not
   * checked.
   */
  async simulate(body: BodyInput<'agent_me_policy_simulate'>): Promise<PolicyAnswer> {
    return (await this.call('agent_me_policy_simulate', { body })).body
  }

  /** Returns current rates and fees. They are not guaranteed; create a quote to lock a price. */
  async exchangeRates(
    query: QueryInput<'agent_me_exchange_rate_list'> = {},
  ): Promise<Answer<'agent_me_exchange_rate_list'>['body']['data']> {
    return (await this.call('agent_me_exchange_rate_list', { query })).body.data
  }

  /** Lists the customer's internal accounts. */
  internalAccounts(
    query: QueryInput<'agent_me_internal_account_list'> = {},
  ): AsyncGenerator<ItemOf<'agent_me_internal_account_list'>, void, undefined> {
    return this.paginate('agent_me_internal_account_list', { query })
  }

  /** Lists the customer's external accounts. */
  externalAccounts(
    query: QueryInput<'agent_me_external_account_list'> = {},
  ): AsyncGenerator<ExternalAccount, void, undefined> {
    return this.paginate('agent_me_external_account_list', { query })
  }

  async externalAccount(externalAccountId: string): Promise<ExternalAccount> {
    return (await this.call('agent_me_external_account_get', { params: { externalAccountId } })).body
  }

  /** Needs the permission `MANAGE_EXTERNAL_ACCOUNTS`. */
  async addExternalAccount(
    body: BodyInput<'agent_me_external_account_create'>,
    once: WriteOptions = {},
  ): Promise<ExternalAccount> {
    return (await this.call('agent_me_external_account_create', { ...once, body })).body
  }

  /** Needs the permission `MANAGE_EXTERNAL_ACCOUNTS`. */
  async removeExternalAccount(externalAccountId: string): Promise<void> {
    await this.call('agent_me_external_account_delete', { params: { externalAccountId } })
  }

  /** Locks a price without moving money. Needs the permission `CREATE_QUOTES`. */
  async createQuote(body: BodyInput<'agent_me_quote_create'>, once: WriteOptions = {}): Promise<AgentQuote> {
    return (await this.call('agent_me_quote_create', { ...once, body })).body
  }

  /** Reads a quote. Rejects with CountersignError 404 `QUOTE_NOT_FOUND` if another agent created it. */
  async quote(quoteId: string): Promise<AgentQuote> {
    return (await this.call('agent_me_quote_get', { params: { quoteId } })).body
  }

  /**
   * Pays a quote. Needs the permission `EXECUTE_QUOTES`. A payment from an embedded wallet waits for the
   * customer's signature unless `signature` is given: a stamp over the quote's `payloadToSign`.
   */
  async executeQuote(
    quoteId: string,
    options: WriteOptions & Pick<CallOptions, 'signature'> = {},
  ): Promise<AgentAction> {
    return (await this.call('agent_me_quote_execute', { ...options, params: { quoteId } })).body
  }

  /**
   * Pulls money in. Needs the permission `CREATE_TRANSFERS`, and counts towards the limits like a payment.
   */
  async transferIn(body: BodyInput<'agent_me_transfer_in'>, once: WriteOptions = {}): Promise<AgentAction> {
    return (await this.call('agent_me_transfer_in', { ...once, body })).body
  }

  /**
   * Pushes money out. Needs the permission `CREATE_TRANSFERS`. Without `amount`, the whole available balance
   * is sent.
   */
  async transferOut(body: BodyInput<'agent_me_transfer_out'>, once: WriteOptions = {}): Promise<AgentAction> {
    return (await this.call('agent_me_transfer_out', { ...once, body })).body
  }

  /** Lists the customer's transactions. Needs the permission `VIEW_TRANSACTIONS`. */
  transactions(
    query: QueryInput<'agent_me_transaction_list'> = {},
  ): AsyncGenerator<Transaction, void, undefined> {
    return this.paginate('agent_me_transaction_list', { query })
  }

  /**
   * Reads a transaction. Needs the permission `VIEW_TRANSACTIONS` unless this agent started the transaction.
   */
  async transaction(transactionId: string): Promise<Transaction> {
    return (await this.call('agent_me_transaction_get', { params: { transactionId } })).body
  }

  /** Lists the agent's actions so far. */
  actions(query: QueryInput<'agent_me_action_list'> = {}): AsyncGenerator<AgentAction, void, undefined> {
    return this.paginate('agent_me_action_list', { query })
  }

  async action(actionId: string): Promise<AgentAction> {
    return (await this.call('agent_me_action_get', { params: { actionId } })).body
  }

  /**
   * Waits up to `timeoutMs` for the platform's decision on an action. The `status` of the result is
   * `APPROVED`, `REJECTED` or `FAILED`, see `DecidedAction`. Rejects with NotDecidedError on timeout.
   */
  async waitForDecision(actionId: string, options: WaitOptions = {}): Promise<DecidedAction> {
    const params = { actionId }
    return waitUntilDecided(
      async (signal) => (await this.call('agent_me_action_get', { params, ...(signal && { signal }) })).body,
      options,
    )
  }

  /** Waits until a payment is final, whatever the outcome. Rejects with StillUnderWayError on timeout. */
  async waitForTransaction(transactionId: string, options: WaitOptions = {}): Promise<Transaction> {
    const params = { transactionId }
    return waitUntilFinal(
      async (signal) =>
        (await this.call('agent_me_transaction_get', { params, ...(signal && { signal }) })).body,
      options,
    )
  }
}

type ExternalAccount = Answer<'agent_me_external_account_get'>['body']
