import type { AgentActionType } from '@countersign/contract/agents/agent-actions'
import {
  AGENT_DENIALS,
  type AgentDenialRule,
  type AgentPermission,
} from '@countersign/contract/agents/agent-policy'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { requireValue } from '../../base/formats/require-value.ts'
import { findRate } from '../../base/pricing/ratios.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { AgentReservationRow, AgentRow } from '../../storage/rows/agent.ts'
import { readPolicy } from './agent-policies.ts'
import { formatLimit } from './explain-decision.ts'
import { decide, type Policy, type PolicyDecision, type PolicyRequest, type Usage } from './policy.ts'
import { findUsage } from './usage.ts'

/** A request of an agent, before its policy is evaluated. */
export interface AgentRequest {
  readonly permission: AgentPermission
  /** Additional permissions that the request needs. */
  readonly alsoNeeds?: readonly AgentPermission[]
  /** The ids of all accounts involved; null is an UMA address. */
  readonly accountIds: readonly (string | null)[]
  readonly spends?: {
    /** Smallest unit of `currency`. */
    readonly amount: bigint
    readonly currency: string
    /** True if the request spends money of an embedded wallet whose holder has not signed. */
    readonly needsSignature: boolean
  }
}

const PERMISSIONS: Readonly<Record<AgentActionType, AgentPermission>> = {
  EXECUTE_QUOTE: 'EXECUTE_QUOTES',
  TRANSFER_OUT: 'CREATE_TRANSFERS',
  TRANSFER_IN: 'CREATE_TRANSFERS',
}

export function getRequiredPermission(type: AgentActionType): AgentPermission {
  return PERMISSIONS[type]
}

/** A decision with all of its inputs. */
export interface Evaluation {
  readonly decision: PolicyDecision
  readonly policy: Policy
  readonly isPaused: boolean
  readonly usage: Usage
  readonly request: PolicyRequest
}

/**
 * Evaluates the agent's current policy, with amounts converted at the current rate. If a `reservation`
 * already exists, uses the day of the reservation and does not count its amount as used.
 */
export async function evaluateRequest(
  op: Op,
  agent: AgentRow,
  request: AgentRequest,
  reservation?: AgentReservationRow,
): Promise<Evaluation> {
  const policy = readPolicy(agent)
  const used = (await findUsage(op, [agent], reservation ?? toPeriods(op.now)))(agent)
  const usage = reservation ? subtractReservation(used, reservation) : used
  const policyRequest: PolicyRequest = {
    permission: request.permission,
    ...(request.alsoNeeds ? { alsoNeeds: request.alsoNeeds } : {}),
    accountIds: request.accountIds,
    ...(request.spends ? { spends: await measureSpending(op, policy, request.spends, reservation) } : {}),
  }
  const isPaused = agent.is_paused
  return {
    decision: decide(policy, isPaused, usage, policyRequest),
    policy,
    isPaused,
    usage,
    request: policyRequest,
  }
}

function subtractReservation(used: Usage, { amount }: AgentReservationRow): Usage {
  return {
    dailyCount: used.dailyCount - 1,
    dailySpend: used.dailySpend - amount,
    monthlySpend: used.monthlySpend - amount,
  }
}

async function measureSpending(
  op: Op,
  policy: Policy,
  { amount, currency, needsSignature }: NonNullable<AgentRequest['spends']>,
  reservation: AgentReservationRow | undefined,
): Promise<NonNullable<PolicyRequest['spends']>> {
  const limits = policy.spendingLimits.currency
  const threshold = policy.approvalThresholds?.currency ?? limits
  return {
    amount: reservation ? reservation.amount : await convertAmount(op, amount, currency, limits),
    thresholdAmount: await convertAmount(op, amount, currency, threshold),
    needsSignature,
  }
}

/** Converts an amount to another currency, rounding up. Null if there is no rate. */
export async function convertAmount(
  op: Op,
  amount: bigint,
  from: string,
  to: string,
): Promise<bigint | null> {
  if (from === to) return amount
  if (!op.rates || !isKnownCurrency(from) || !isKnownCurrency(to)) return null
  const rate = findRate(await op.rates.snapshot(), to, from)
  return rate ? (amount * rate.numerator + rate.denominator - 1n) / rate.denominator : null
}

/** Records a decision with its inputs, and the policy by its version. */
export function recordDecision(
  op: Op,
  agent: AgentRow,
  { decision, policy: _, ...inputs }: Evaluation,
  actionId: string | null,
): Write {
  return insert('agent_decisions', {
    id: op.newId('AgentDecision'),
    platform_id: op.platform.id,
    agent_id: agent.id,
    action_id: actionId,
    decision,
    inputs,
    policy_version: agent.policy_version,
    created_at: op.now,
  })
}

/**
 * Denies an agent's request: counts the denial and, unless the agent is paused, records it. Returns the error
 * to throw.
 */
export function denyRequest(op: Op, agent: AgentRow, evaluation: Evaluation): ApiError {
  const rule = requireDenialRule(evaluation)
  if (rule === 'paused') return denyPausedAgent(op)
  op.metrics.agentDenied(rule)
  return createDenialError(evaluation, [recordDecision(op, agent, evaluation, null)])
}

/** Guard: the agent exists, and its policy and pause state have not changed since the decision. */
export function guardAgent(agent: AgentRow): Write {
  return expectRow('agents', agent.id, { version: agent.version, deleted_at: null })
}

/** The message of each denial. `details` repeats its amounts as numbers. */
const DENIAL_MESSAGES: Readonly<Record<AgentDenialRule, (decision: PolicyDecision) => string>> = {
  paused: () => 'The agent is paused.',
  permission: ({ subject }) => `The agent's policy does not grant the permission ${subject}.`,
  account: ({ subject }) => `The agent's policy does not allow ${subject}.`,
  externalAccount: ({ subject }) => `The agent's policy does not allow ${subject}.`,
  conversion: () => "No exchange rate is available to compare the amount with the agent's limits.",
  perTransactionLimit: ({ asked, left, currency }) =>
    `One action can move at most ${formatLimit(left, currency)}, not ${formatLimit(asked, currency)}.`,
  accountPerTransactionLimit: ({ asked, left, currency }) =>
    `One action with this account can move at most ${formatLimit(left, currency)}, not ${formatLimit(asked, currency)}.`,
  dailyTransactionLimit: () => 'The agent has reached the number of actions that its policy allows per day.',
  dailyLimit: ({ asked, left, currency }) =>
    `The agent can move ${formatLimit(left, currency)} more today, not ${formatLimit(asked, currency)}.`,
  monthlyLimit: ({ asked, left, currency }) =>
    `The agent can move ${formatLimit(left, currency)} more this month, not ${formatLimit(asked, currency)}.`,
}

/**
 * Denies a request of a paused agent. The denial is counted but not recorded, so that a paused agent cannot
 * fill the database with repeated requests. Returns 403 `FORBIDDEN`.
 */
export function denyPausedAgent({ metrics }: Pick<App, 'metrics'>): ApiError {
  metrics.agentDenied('paused')
  return new ApiError(AGENT_DENIALS.paused.code, {
    message: 'The agent is paused.',
    details: { rule: 'paused' },
  })
}

/** The rule that denied a request. Every denial names one. */
function requireDenialRule({ decision }: Evaluation): AgentDenialRule {
  return requireValue(decision.rule, 'rule of a denial')
}

/**
 * The error of a denial: 403 `FORBIDDEN` or `VELOCITY_LIMIT_EXCEEDED`, with the rule, the requested amount
 * and the remaining amount.
 */
export function createDenialError(evaluation: Evaluation, writes: readonly Write[] = []): ApiError {
  const rule = requireDenialRule(evaluation)
  const { decision } = evaluation
  const { subject, asked, left, currency } = decision
  const isAmount = asked !== undefined && rule !== 'dailyTransactionLimit'
  return new ApiError(AGENT_DENIALS[rule].code, {
    message: DENIAL_MESSAGES[rule](decision),
    details: present({ rule, subject, asked, left, currency: isAmount ? currency : undefined }),
    writes,
  })
}

/**
 * Evaluates the policy for a request that moves no money. Records the decision if the request is denied; if
 * it is allowed, the returned writes record it and belong in the request's write set. Throws 403 `FORBIDDEN`.
 */
export async function authorizeRequest(op: Op, agent: AgentRow, request: AgentRequest): Promise<Write[]> {
  const evaluation = await evaluateRequest(op, agent, request)
  if (evaluation.decision.outcome === 'DENIED') throw denyRequest(op, agent, evaluation)
  return [guardAgent(agent), recordDecision(op, agent, evaluation, null)]
}
