import type { AgentQuote } from './agent.ts'
import type { Answer, BodyInput, Caller, ItemOf, QueryInput } from './calls.ts'
import { paginate } from './paginate.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'
import { isPayment } from './statement.ts'
import type { AgentAction } from './wait-for-decision.ts'

/** A program that acts for one customer under a policy, as its platform sees it. */
export type AgentRecord = Answer<'agent_get'>['body']
/** What connects an agent: shown once. */
export type DeviceCode = Answer<'agent_device_code_create'>['body']

/** Which action: as a list or an event has it. Where its `quote` is given, no other one is signed. */
export type ActionReference = Pick<AgentAction, 'id' | 'agentId'> & {
  readonly quote?: Pick<AgentQuote, 'id'>
}

/** An embedded wallet pays, so the approval takes the signature of its holder: give a session of the wallet. */
export class SignatureRequiredError extends Error {
  override readonly name = 'SignatureRequiredError'
  /** What the holder signs. `statementOf` reads its words. */
  readonly payloadToSign: string

  constructor(actionId: string, payloadToSign: string) {
    super(`${actionId} pays from an embedded wallet: its approval takes a session of the wallet.`)
    this.payloadToSign = payloadToSign
  }
}

/**
 * The agents of a platform (specification 1.3): who there is, what each may do, and what waits for approval. Rejects
 * with CountersignError: 404 `AGENT_NOT_FOUND` for an agent that is not there any more.
 */
export class Agents {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Makes an agent, and the device code that connects it. Limits are in the smallest unit of their currency. */
  async create(body: BodyInput<'agent_create'>): Promise<Answer<'agent_create'>['body']> {
    return (await this.#caller.call('agent_create', { body })).body
  }

  list(query: QueryInput<'agent_list'> = {}): AsyncGenerator<AgentRecord, void, undefined> {
    return paginate(this.#caller, 'agent_list', { query })
  }

  async get(agentId: string): Promise<AgentRecord> {
    return (await this.#caller.call('agent_get', { params: { agentId } })).body
  }

  /** A new name, or `isPaused`: a paused agent may read and do nothing. */
  async update(agentId: string, body: BodyInput<'agent_update'>): Promise<AgentRecord> {
    return (await this.#caller.call('agent_update', { params: { agentId }, body })).body
  }

  /** What is given replaces what was there. It holds from the next request on, also for what waits for approval. */
  async updatePolicy(agentId: string, body: BodyInput<'agent_policy_update'>): Promise<AgentRecord> {
    return (await this.#caller.call('agent_policy_update', { params: { agentId }, body })).body
  }

  /** Ends the agent's token at once; what waits for approval is rejected. */
  async delete(agentId: string): Promise<void> {
    await this.#caller.call('agent_delete', { params: { agentId } })
  }

  /** A new device code, good once and for 15 minutes. It ends the one before. */
  async deviceCode(agentId: string): Promise<DeviceCode> {
    return (await this.#caller.call('agent_device_code_create', { params: { agentId } })).body
  }

  /** Whether the agent has redeemed the code. */
  async isRedeemed(code: string): Promise<boolean> {
    return (await this.#caller.call('agent_device_code_get', { params: { code } })).body.redeemed
  }

  /** What the policy would say to an action. Nothing is done, reserved or recorded; balances are not looked at. */
  async simulate(
    agentId: string,
    body: BodyInput<'agent_policy_simulate'>,
  ): Promise<Answer<'agent_policy_simulate'>['body']> {
    return (await this.#caller.call('agent_policy_simulate', { params: { agentId }, body })).body
  }

  /** Each decision of the policy, with all that it was made from. */
  decisions(
    agentId: string,
    query: QueryInput<'agent_decision_list'> = {},
  ): AsyncGenerator<ItemOf<'agent_decision_list'>, void, undefined> {
    return paginate(this.#caller, 'agent_decision_list', { params: { agentId }, query })
  }

  /** What waits for the platform, of all agents; the newest first unless `sortOrder` is `asc`. */
  approvals(query: QueryInput<'agent_approval_list'> = {}): AsyncGenerator<AgentAction, void, undefined> {
    return paginate(this.#caller, 'agent_approval_list', { query })
  }

  /**
   * Has an action done. Everything is checked again: look at the answer's `status`, which is `FAILED` where something
   * does not hold any more, with a `rejectionReason`. From an embedded wallet its holder signs, with `session`; without
   * one it rejects with SignatureRequiredError. Rejects with CountersignError: 409 `CONFLICT` where it was decided
   * otherwise before; as the session does, which wants the payment confirmed (`Confirm`).
   */
  async approve({ id, agentId, quote }: ActionReference, session?: Signer): Promise<AgentAction> {
    const input = { params: { agentId, actionId: id } }
    if (session) {
      const holder = quote ? signerOf(quote, session) : session
      return (await signed(this.#caller, 'agent_action_approve', input, holder)).body
    }
    const answer = await this.#caller.call('agent_action_approve', input)
    if (answer.status === 202) throw new SignatureRequiredError(id, answer.body.payloadToSign)
    return answer.body
  }

  /** Turns an action down; the agent reads the reason. Rejects with CountersignError as `approve` does. */
  async reject({ id, agentId }: ActionReference, reason?: string): Promise<AgentAction> {
    const params = { agentId, actionId: id }
    const body = reason === undefined ? {} : { reason }
    return (await this.#caller.call('agent_action_reject', { params, body })).body
  }
}

/** Signs the payment of this quote alone. */
function signerOf(quote: Pick<AgentQuote, 'id'>, session: Signer): Signer {
  return {
    accountId: session.accountId,
    async sign(payload) {
      const { statement } = payload
      if (!isPayment(statement) || statement.quote !== quote.id)
        throw new PayloadMismatchError('quote', `is not ${quote.id}, which the action is about`)
      return session.sign(payload)
    },
  }
}
