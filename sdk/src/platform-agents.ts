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
/** The code that connects an agent. It is shown once. */
export type DeviceCode = Answer<'agent_device_code_create'>['body']

/** An action, as a list or an event contains it. With `quote`, only the payment of that quote is signed. */
export type ActionReference = Pick<AgentAction, 'id' | 'agentId'> & {
  readonly quote?: Pick<AgentQuote, 'id'>
}

/** The source is an embedded wallet, so the approval needs its holder's signature: give a session of the wallet. */
export class SignatureRequiredError extends Error {
  override readonly name = 'SignatureRequiredError'
  /** What the holder signs. `statementOf` reads it. */
  readonly payloadToSign: string

  constructor(actionId: string, payloadToSign: string) {
    super(`${actionId} pays from an embedded wallet. Its approval needs a session of that wallet.`)
    this.payloadToSign = payloadToSign
  }
}

/**
 * The agents of a platform (specification 1.3), their policies, and their pending actions. Rejects with
 * CountersignError: 404 `AGENT_NOT_FOUND` for a deleted agent.
 */
export class PlatformAgents {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Creates an agent and the device code that connects it. Limits are in the smallest unit of their currency. */
  async create(body: BodyInput<'agent_create'>): Promise<Answer<'agent_create'>['body']> {
    return (await this.#caller.call('agent_create', { body })).body
  }

  list(query: QueryInput<'agent_list'> = {}): AsyncGenerator<AgentRecord, void, undefined> {
    return paginate(this.#caller, 'agent_list', { query })
  }

  async get(agentId: string): Promise<AgentRecord> {
    return (await this.#caller.call('agent_get', { params: { agentId } })).body
  }

  /** Sets the name or `isPaused`: a paused agent can only read. */
  async update(agentId: string, body: BodyInput<'agent_update'>): Promise<AgentRecord> {
    return (await this.#caller.call('agent_update', { params: { agentId }, body })).body
  }

  /** Replaces the given members of the policy. Takes effect from the next request on, also for pending actions. */
  async updatePolicy(agentId: string, body: BodyInput<'agent_policy_update'>): Promise<AgentRecord> {
    return (await this.#caller.call('agent_policy_update', { params: { agentId }, body })).body
  }

  /** Revokes the agent's token at once. Pending actions are rejected. */
  async delete(agentId: string): Promise<void> {
    await this.#caller.call('agent_delete', { params: { agentId } })
  }

  /** Creates a new device code, valid once, for 15 minutes. Invalidates the previous one. */
  async deviceCode(agentId: string): Promise<DeviceCode> {
    return (await this.#caller.call('agent_device_code_create', { params: { agentId } })).body
  }

  /** Whether the agent has redeemed the code. */
  async isRedeemed(code: string): Promise<boolean> {
    return (await this.#caller.call('agent_device_code_get', { params: { code } })).body.redeemed
  }

  /**
   * What the policy would decide about an action. Nothing is executed, reserved or recorded; balances are not checked.
   */
  async simulate(
    agentId: string,
    body: BodyInput<'agent_policy_simulate'>,
  ): Promise<Answer<'agent_policy_simulate'>['body']> {
    return (await this.#caller.call('agent_policy_simulate', { params: { agentId }, body })).body
  }

  /** The decisions of the policy, each with everything that it was based on. */
  decisions(
    agentId: string,
    query: QueryInput<'agent_decision_list'> = {},
  ): AsyncGenerator<ItemOf<'agent_decision_list'>, void, undefined> {
    return paginate(this.#caller, 'agent_decision_list', { params: { agentId }, query })
  }

  /** The pending actions of all agents, the newest first unless `sortOrder` is `asc`. */
  approvals(query: QueryInput<'agent_approval_list'> = {}): AsyncGenerator<AgentAction, void, undefined> {
    return paginate(this.#caller, 'agent_approval_list', { query })
  }

  /**
   * Approves an action. Everything is checked again: the answer's `status` is `FAILED` where a check fails, with a
   * `rejectionReason`. For an embedded wallet its holder signs, with `session`; without one it rejects with
   * SignatureRequiredError. Rejects with CountersignError 409 `CONFLICT` where the action was decided otherwise before,
   * and as the session does, which requires the payment to be confirmed (`Confirm`).
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

  /** Rejects an action; the agent sees the reason. Rejects with CountersignError as `approve` does. */
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
        throw new PayloadMismatchError('quote', `is not ${quote.id}, the quote of the action`)
      return session.sign(payload)
    },
  }
}
