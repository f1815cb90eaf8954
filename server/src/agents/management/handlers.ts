import { AGENT_SPENDING_PERMISSIONS } from '@countersign/contract/agents/agent-policy'
import type { agents } from '@countersign/contract/agents/agents'
import { present } from '@countersign/contract/core/objects'
import { toCanonicalJson } from '../../base/json/json.ts'
import { withNames } from '../../kernel/accounts/names.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkPermission } from '../../kernel/operation/permissions.ts'
import { parseTimeRange } from '../../kernel/operation/time-range.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { expectRow, insert, update } from '../../storage/commit/writes.ts'
import type { AgentDecisionRow, AgentRow } from '../../storage/rows/agent.ts'
import { changeAgent, findAgent, findAgentOnRecord } from '../identity/agents.ts'
import {
  createCodeNotFoundError,
  findDeviceCode,
  isRedeemable,
  makeAgentToken,
  makeDeviceCode,
  type NewDeviceCode,
} from '../identity/device-codes.ts'
import { findPolicies, readPolicy, recordPolicy } from '../policy/agent-policies.ts'
import { toAgentView, toAgentViews } from '../policy/agent-view.ts'
import type { Policy, PolicyDecision } from '../policy/policy.ts'
import { simulateAction } from '../policy/simulate.ts'
import { applyPolicyChange, checkPolicy } from './policy-change.ts'
import { selectAgents, selectDecisions } from './store.ts'

/**
 * Anyone who sets an agent's policy, name or credential can do what the policy allows. Throws 403 `FORBIDDEN`
 * if the policy can move money and the caller's token cannot.
 */
function checkMayGrant(op: Op, { permissions }: Policy): void {
  if (AGENT_SPENDING_PERMISSIONS.some((permission) => permissions.includes(permission)))
    checkPermission(op, 'TRANSACT')
}

export const agentHandlers: Handlers<typeof agents> = {
  agent_create: async (op, { body }) => {
    checkMayGrant(op, body.policy)
    const customer = await findCustomer(op, body.customerId)
    const policy = await checkPolicy(op, customer.id, body.policy, 'policy.')
    const id = op.newId('Agent')
    const deviceCode = makeDeviceCode(op, id)
    const agent: AgentRow = {
      id,
      platform_id: op.platform.id,
      customer_id: customer.id,
      name: body.name,
      policy,
      policy_version: 1,
      is_paused: false,
      token_hash: null,
      device_code_id: deviceCode.row.id,
      version: 1,
      created_at: op.now,
      updated_at: op.now,
      deleted_at: null,
    }
    return {
      status: 201,
      body: { agent: await toAgentView(op, agent), deviceCode: toDeviceCodeView(deviceCode) },
      writes: [
        expectRow('customers', customer.id, { deleted_at: null }),
        insert('agents', agent),
        recordPolicy(op, agent),
        deviceCode.write,
      ],
    }
  },

  agent_list: async (op, { query }) => {
    const { customerId, isPaused, isConnected } = query
    const filters = present({ customerId, isPaused, isConnected })
    return {
      status: 200,
      body: await withNames(
        op,
        query,
        await listPage(op, query, {
          rows: selectAgents(op, { ...filters, ...parseTimeRange(query) }),
          table: 'agents',
          view: (rows) => toAgentViews(op, rows),
        }),
        ({ customerId }) => [customerId],
      ),
    }
  },

  agent_get: async (op, { params }) => ({
    status: 200,
    body: await toAgentView(op, await findAgent(op, params.agentId)),
  }),

  agent_update: async (op, { params, body }) => {
    const agent = await findAgent(op, params.agentId)
    // Any token with MANAGE may stop an agent, but not resume or rename it.
    if (body.name !== undefined || body.isPaused === false) checkMayGrant(op, readPolicy(agent))
    const change = present({ name: body.name, is_paused: body.isPaused })
    const { row, write } = changeAgent(op, agent, change)
    return { status: 200, body: await toAgentView(op, row), writes: [write] }
  },

  agent_policy_update: async (op, { params, body }) => {
    const agent = await findAgent(op, params.agentId)
    const before = readPolicy(agent)
    const policy = applyPolicyChange(before, body)
    checkMayGrant(op, policy)
    await checkPolicy(op, agent.customer_id, policy, '')
    const isSame = toCanonicalJson(policy) === toCanonicalJson(before)
    const change = isSame ? {} : { policy, policy_version: agent.policy_version + 1 }
    const { row, write } = changeAgent(op, agent, change)
    return {
      status: 200,
      body: await toAgentView(op, row),
      writes: [write, ...(isSame ? [] : [recordPolicy(op, row)])],
    }
  },

  agent_policy_simulate: async (op, { params, body }) => ({
    status: 200,
    body: await simulateAction(op, await findAgent(op, params.agentId), body),
  }),

  agent_decision_list: async (op, { params, query }) => {
    const agent = await findAgentOnRecord(op, params.agentId)
    return {
      status: 200,
      body: await listPage(
        op,
        { ...query, of: agent.id },
        {
          rows: selectDecisions(op, agent.id),
          table: 'agent_decisions',
          order: query.sortOrder ?? 'desc',
          view: (rows) => toDecisionViews(op, agent.id, rows),
        },
      ),
    }
  },

  /**
   * If several codes are created at the same time, only the last one is valid, because the agent refers to a
   * single code.
   */
  agent_device_code_create: async (op, { params }) => {
    const agent = await findAgent(op, params.agentId)
    checkMayGrant(op, readPolicy(agent))
    const deviceCode = makeDeviceCode(op, agent.id)
    return {
      status: 201,
      body: toDeviceCodeView(deviceCode),
      writes: [
        deviceCode.write,
        update('agents', agent.id, { deleted_at: null }, { device_code_id: deviceCode.row.id }),
      ],
    }
  },

  /**
   * An unknown code counts as a failed attempt of the platform, so that reading codes cannot bypass the limit
   * on redeeming them.
   */
  agent_device_code_get: async (op, { params }) => {
    op.failedAttempts.check('deviceCodeReads', op.platform.id)
    const code = await findDeviceCode(op, params.code).catch((error) => {
      if (error instanceof ApiError) op.failedAttempts.recordFailure('deviceCodeReads', op.platform.id)
      throw error
    })
    return { status: 200, body: { code: params.code, redeemed: code.redeemed_at !== null } }
  },

  /** Guard: this is still the agent's valid code. */
  agent_device_code_redeem: async (op, { params }) => {
    const code = await findDeviceCode(op, params.code)
    const agent = await findAgent(op, code.agent_id).catch(() => undefined)
    if (!agent || !isRedeemable(op, code, agent)) throw createCodeNotFoundError()
    await findCustomer(op, agent.customer_id)
    const { token, hash } = makeAgentToken(op)
    return {
      status: 200,
      body: { agentId: agent.id, agentName: agent.name, accessToken: token, policy: readPolicy(agent) },
      writes: [
        update('agent_device_codes', code.id, { redeemed_at: null }, { redeemed_at: op.now }),
        update(
          'agents',
          agent.id,
          { device_code_id: code.id, deleted_at: null },
          { device_code_id: null, token_hash: hash, updated_at: op.now },
        ),
      ],
    }
  },
}

/** Converts decisions to their API form, each with the policy it was made under. */
async function toDecisionViews(op: Op, agentId: string, rows: readonly AgentDecisionRow[]) {
  const policies = await findPolicies(op, agentId, [...new Set(rows.map((row) => row.policy_version))])
  return rows.map((row) =>
    present({
      id: row.id,
      agentId: row.agent_id,
      actionId: row.action_id,
      decision: row.decision as PolicyDecision,
      inputs: { policy: policies.get(row.policy_version)!, ...row.inputs },
      createdAt: row.created_at.toISOString(),
    }),
  )
}

function toDeviceCodeView({ row, code }: NewDeviceCode) {
  return { code, agentId: row.agent_id, expiresAt: row.expires_at.toISOString(), redeemed: false }
}
