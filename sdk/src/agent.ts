import type {
  AgentCallName,
  Answer,
  Arguments,
  BodyInput,
  CallOptions,
  ItemOf,
  PagedName,
  QueryInput,
} from './calls.ts'
import { Client, type ClientOptions } from './client.ts'
import { paginate } from './paginate.ts'
import { type AgentAction, type DecidedAction, untilDecided } from './wait-for-decision.ts'
import { type Transaction, untilEnded } from './wait-for-transaction.ts'
import type { WaitOptions } from './wait-until.ts'

/** Where the API is, and how to call it: as `ClientOptions` without a platform's credentials. */
export type AgentConnection = Omit<ClientOptions, 'tokenId' | 'clientSecret' | 'accessToken'>

/** The agent itself: its customer, its policy, what it has used of its limits, whether it is paused. */
export type OwnAgent = Answer<'agent_me_get'>['body']

export type AgentQuote = Answer<'agent_me_quote_get'>['body']
export type PolicyAnswer = Answer<'agent_me_policy_simulate'>['body']

type ListName = AgentCallName & PagedName

/** What a call that moves or makes something takes beside its input. */
type Once = Pick<CallOptions, 'idempotencyKey' | 'signal'>

/**
 * An agent's own way to the API (specification 4.8, 4.9, 5.2). It acts for one customer and sees nothing of another's:
 *
 *     const agent = await Agent.redeem({ baseUrl, code })
 *     const quote = await agent.createQuote({ source, destination, lockedCurrencySide, lockedCurrencyAmount })
 *     const action = await agent.executeQuote(quote.id)
 *     const decided = await agent.waitForDecision(action.id)
 *
 * Reading is free. What moves money is decided by the policy: done at once, left to the platform (`PENDING_APPROVAL`), or
 * refused with CountersignError 403 `FORBIDDEN` or `VELOCITY_LIMIT_EXCEEDED`, whose `details` name the rule, and of a
 * limit what was `asked` and what was `left`. Amounts are `bigint`, in the smallest unit of their currency. Each call
 * that moves something carries an `Idempotency-Key` of its own and is safely tried again.
 */
export class Agent {
  readonly #client: Client
  /** The credential. It is given once, and is good until the agent is deleted or redeems another code: keep it safe. */
  readonly accessToken: string

  private constructor(client: Client, accessToken: string) {
    this.#client = client
    this.accessToken = accessToken
  }

  /**
   * Redeems a device code, which is good once and for 15 minutes; case and hyphens do not matter. It ends the token
   * before. Never tried again by itself: where the answer is lost the code is spent, and the platform makes a new one.
   * Rejects with CountersignError: 404 `DEVICE_CODE_NOT_FOUND` for a code that is unknown, used or too old, 429
   * `RATE_LIMITED` after too many tries.
   */
  static async redeem({ code, ...connection }: AgentConnection & { readonly code: string }): Promise<Agent> {
    const { body } = await new Client(connection).call('agent_device_code_redeem', { params: { code } })
    return Agent.withToken({ ...connection, accessToken: body.accessToken })
  }

  /** An agent that was connected before, by the `accessToken` that it kept. */
  static withToken(connection: AgentConnection & { readonly accessToken: string }): Agent {
    return new Agent(new Client(connection), connection.accessToken)
  }

  /** Calls one of the agents' endpoints by its name in the contract, see `Client.call`. The methods below are these. */
  async call<N extends AgentCallName>(...args: Arguments<N>): Promise<Answer<N>> {
    return this.#client.call<N>(...args)
  }

  /** Every record of a paged list, see `paginate`: `agent.paginate('agent_me_transaction_list')`. */
  paginate<N extends ListName>(...args: Arguments<N>): AsyncGenerator<ItemOf<N>, void, undefined> {
    return paginate<N>(this.#client, ...args)
  }

  async me(): Promise<OwnAgent> {
    return (await this.call('agent_me_get')).body
  }

  /** What the policy would say to an action. Nothing is done, reserved or recorded; balances are not looked at. */
  async simulate(body: BodyInput<'agent_me_policy_simulate'>): Promise<PolicyAnswer> {
    return (await this.call('agent_me_policy_simulate', { body })).body
  }

  /** What amounts come to in other currencies now. It locks nothing; a quote does. */
  async exchangeRates(
    query: QueryInput<'agent_me_exchange_rate_list'> = {},
  ): Promise<Answer<'agent_me_exchange_rate_list'>['body']['data']> {
    return (await this.call('agent_me_exchange_rate_list', { query })).body.data
  }

  /** The customer's accounts here. */
  internalAccounts(
    query: QueryInput<'agent_me_internal_account_list'> = {},
  ): AsyncGenerator<ItemOf<'agent_me_internal_account_list'>, void, undefined> {
    return this.paginate('agent_me_internal_account_list', { query })
  }

  /** The customer's accounts elsewhere. */
  externalAccounts(
    query: QueryInput<'agent_me_external_account_list'> = {},
  ): AsyncGenerator<ExternalAccount, void, undefined> {
    return this.paginate('agent_me_external_account_list', { query })
  }

  async externalAccount(externalAccountId: string): Promise<ExternalAccount> {
    return (await this.call('agent_me_external_account_get', { params: { externalAccountId } })).body
  }

  /** Takes the permission `MANAGE_EXTERNAL_ACCOUNTS`. */
  async addExternalAccount(
    body: BodyInput<'agent_me_external_account_create'>,
    once: Once = {},
  ): Promise<ExternalAccount> {
    return (await this.call('agent_me_external_account_create', { ...once, body })).body
  }

  /** Takes the permission `MANAGE_EXTERNAL_ACCOUNTS`. */
  async removeExternalAccount(externalAccountId: string): Promise<void> {
    await this.call('agent_me_external_account_delete', { params: { externalAccountId } })
  }

  /** Locks a price. Takes the permission `CREATE_QUOTES`; no money moves. */
  async createQuote(body: BodyInput<'agent_me_quote_create'>, once: Once = {}): Promise<AgentQuote> {
    return (await this.call('agent_me_quote_create', { ...once, body })).body
  }

  /** Rejects with CountersignError 404 `QUOTE_NOT_FOUND` also for a quote that another one created. */
  async quote(quoteId: string): Promise<AgentQuote> {
    return (await this.call('agent_me_quote_get', { params: { quoteId } })).body
  }

  /**
   * Pays a quote. Takes the permission `EXECUTE_QUOTES`. From an embedded wallet it waits for the customer's signature;
   * whoever has it already, a stamp over the `payloadToSign` of the quote, gives it as `signature`.
   */
  async executeQuote(
    quoteId: string,
    options: Once & Pick<CallOptions, 'signature'> = {},
  ): Promise<AgentAction> {
    return (await this.call('agent_me_quote_execute', { ...options, params: { quoteId } })).body
  }

  /** Pulls money in. Takes the permission `CREATE_TRANSFERS`, and counts against the limits as a payment does. */
  async transferIn(body: BodyInput<'agent_me_transfer_in'>, once: Once = {}): Promise<AgentAction> {
    return (await this.call('agent_me_transfer_in', { ...once, body })).body
  }

  /** Pushes money out. Takes the permission `CREATE_TRANSFERS`. Without `amount`: all that the account can spend. */
  async transferOut(body: BodyInput<'agent_me_transfer_out'>, once: Once = {}): Promise<AgentAction> {
    return (await this.call('agent_me_transfer_out', { ...once, body })).body
  }

  /** The customer's transactions. Takes the permission `VIEW_TRANSACTIONS`. */
  transactions(
    query: QueryInput<'agent_me_transaction_list'> = {},
  ): AsyncGenerator<Transaction, void, undefined> {
    return this.paginate('agent_me_transaction_list', { query })
  }

  /** Takes the permission `VIEW_TRANSACTIONS`, unless the agent began the transaction. */
  async transaction(transactionId: string): Promise<Transaction> {
    return (await this.call('agent_me_transaction_get', { params: { transactionId } })).body
  }

  /** What the agent asked for so far. */
  actions(query: QueryInput<'agent_me_action_list'> = {}): AsyncGenerator<AgentAction, void, undefined> {
    return this.paginate('agent_me_action_list', { query })
  }

  async action(actionId: string): Promise<AgentAction> {
    return (await this.call('agent_me_action_get', { params: { actionId } })).body
  }

  /**
   * Waits until the platform has decided about an action, `timeoutMs` at most: `status` of the answer is `APPROVED`,
   * `REJECTED` or `FAILED`, see `DecidedAction`. Rejects with NotDecidedError when the time is up.
   */
  async waitForDecision(actionId: string, options: WaitOptions = {}): Promise<DecidedAction> {
    const params = { actionId }
    return untilDecided(
      async (signal) => (await this.call('agent_me_action_get', { params, ...(signal && { signal }) })).body,
      options,
    )
  }

  /** Waits until a payment has ended, whichever way. Rejects with StillUnderWayError when the time is up. */
  async waitForTransaction(transactionId: string, options: WaitOptions = {}): Promise<Transaction> {
    const params = { transactionId }
    return untilEnded(
      async (signal) =>
        (await this.call('agent_me_transaction_get', { params, ...(signal && { signal }) })).body,
      options,
    )
  }
}

type ExternalAccount = Answer<'agent_me_external_account_get'>['body']
