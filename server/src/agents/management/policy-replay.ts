import type { AgentActionType } from '@countersign/contract/agents/agent-actions'
import { AgentDecision } from '@countersign/contract/agents/agent-policy'
import {
  type policyReplays,
  REPLAY_DAYS,
  REPLAYED_ACTIONS_MAX,
} from '@countersign/contract/agents/policy-replay'
import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { decode } from '@countersign/contract/core/decode'
import { present } from '@countersign/contract/core/objects'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import type { AgentDecisionRow } from '../../storage/rows/agent.ts'
import { findAgent } from '../identity/agents.ts'
import { readPolicy } from '../policy/agent-policies.ts'
import { convertAmount } from '../policy/evaluate.ts'
import { describeDecision } from '../policy/explain-decision.ts'
import { decide, type Policy, type PolicyDecision, type PolicyRequest, type Usage } from '../policy/policy.ts'
import { applyPolicyChange, checkPolicy } from './policy-change.ts'
import { selectSpendingDecisions } from './store.ts'

const DAY_SECONDS = 86_400

export const policyReplayHandlers: Handlers<typeof policyReplays> = {
  agent_policy_replay: async (op, { params, body }) => {
    const agent = await findAgent(op, params.agentId)
    const draft = applyPolicyChange(readPolicy(agent), body.policy, 'policy.')
    await checkPolicy(op, agent.customer_id, draft, 'policy.')
    const end = parseOptionalTime(body.endDate) ?? op.now
    const start = parseOptionalTime(body.startDate) ?? addSeconds(end, -REPLAY_DAYS * DAY_SECONDS)
    const rows = await selectSpendingDecisions(op, agent.id, start, end, REPLAYED_ACTIONS_MAX + 1)
    const past = rows.slice(0, REPLAYED_ACTIONS_MAX).filter(isFirstDecision).map(toPastDecision)
    const replayed = await replayDecisions(op, draft, past)
    const data = await Promise.all(replayed.map((decision) => toReplayView(op, draft, decision)))
    return {
      status: 200,
      body: { data, counts: countOutcomes(data), isCut: rows.length > REPLAYED_ACTIONS_MAX },
    }
  },
}

/** A past decision and its recorded inputs. */
interface PastDecision {
  readonly row: AgentDecisionRow
  readonly was: PolicyDecision
  readonly request: PolicyRequest
  readonly usage: Usage
}

/**
 * Approving an action records a second decision about it. Only the first one belongs to the agent's own
 * request.
 */
function isFirstDecision(
  { action_id }: AgentDecisionRow,
  index: number,
  rows: readonly AgentDecisionRow[],
): boolean {
  return action_id === null || rows.findIndex((row) => row.action_id === action_id) === index
}

function toPastDecision(row: AgentDecisionRow): PastDecision {
  const { request, usage } = row.inputs as unknown as {
    readonly request: PolicyRequest
    readonly usage: Readonly<Record<keyof Usage, number | bigint>>
  }
  return {
    row,
    was: decode(AgentDecision, row.decision),
    request,
    usage: {
      dailyCount: Number(usage.dailyCount),
      dailySpend: BigInt(usage.dailySpend),
      monthlySpend: BigInt(usage.monthlySpend),
    },
  }
}

interface ReplayedDecision extends PastDecision {
  readonly wouldBe: PolicyDecision
}

/**
 * Replays the decisions in order. The first one starts from its recorded usage; after that, only the
 * draft's own decisions count.
 */
async function replayDecisions(
  op: Op,
  draft: Policy,
  past: readonly PastDecision[],
): Promise<ReplayedDecision[]> {
  const usageByPeriod = new Map<string, { spent: bigint; count: number }>()
  const replayed: ReplayedDecision[] = []
  for (const pastDecision of past) {
    const { day, month } = toPeriods(pastDecision.row.created_at)
    const isSameCurrency = pastDecision.was.currency === draft.spendingLimits.currency
    const getEarlierSpending = (spent: bigint) => (replayed.length === 0 && isSameCurrency ? spent : 0n)
    const dayUsage = usageByPeriod.get(day) ?? {
      spent: getEarlierSpending(pastDecision.usage.dailySpend),
      count: replayed.length === 0 ? pastDecision.usage.dailyCount : 0,
    }
    const monthUsage = usageByPeriod.get(month) ?? {
      spent: getEarlierSpending(pastDecision.usage.monthlySpend),
      count: 0,
    }
    const usage = { dailyCount: dayUsage.count, dailySpend: dayUsage.spent, monthlySpend: monthUsage.spent }
    const wouldBe = decide(draft, false, usage, await convertRequest(op, draft, pastDecision))
    const isCounted = wouldBe.outcome !== 'DENIED'
    const amount = isCounted ? (wouldBe.amount ?? 0n) : 0n
    usageByPeriod.set(day, { spent: dayUsage.spent + amount, count: dayUsage.count + (isCounted ? 1 : 0) })
    usageByPeriod.set(month, { spent: monthUsage.spent + amount, count: 0 })
    replayed.push({ ...pastDecision, wouldBe })
  }
  return replayed
}

/** Converts the amounts of a past request to the currencies of the draft. */
async function convertRequest(op: Op, draft: Policy, { request, was }: PastDecision): Promise<PolicyRequest> {
  const { spends } = request
  if (!spends) return request
  const convertTo = async (currency: string) =>
    was.amount === undefined || was.currency === undefined
      ? null
      : convertAmount(op, was.amount, was.currency, currency)
  const limits = draft.spendingLimits.currency
  return {
    ...request,
    spends: {
      amount: await convertTo(limits),
      thresholdAmount: await convertTo(draft.approvalThresholds?.currency ?? limits),
      needsSignature: spends.needsSignature,
    },
  }
}

async function toReplayView(op: Op, draft: Policy, { row, was, wouldBe, request }: ReplayedDecision) {
  const { amount, currency } = was
  return present({
    decisionId: row.id,
    at: row.created_at.toISOString(),
    actionType: getActionType(request),
    amount:
      amount !== undefined && currency !== undefined && isKnownCurrency(currency)
        ? { amount, currency: toCurrencyRecord(currency) }
        : undefined,
    payee: await describePayee(op, request),
    was: was.outcome,
    wouldBe: wouldBe.outcome,
    rule: wouldBe.rule ?? wouldBe.because?.join(', '),
    words: describeDecision(wouldBe, draft),
  })
}

/** Derives the type of an action from the stored permission and accounts. */
function getActionType({ permission, accountIds }: PolicyRequest): AgentActionType {
  if (permission === 'EXECUTE_QUOTES') return 'EXECUTE_QUOTE'
  return accountIds[0]?.startsWith('ExternalAccount:') ? 'TRANSFER_IN' : 'TRANSFER_OUT'
}

async function describePayee(op: Op, { accountIds }: PolicyRequest): Promise<string | undefined> {
  const payee = accountIds[1]
  if (payee === null) return 'An UMA address'
  if (!payee?.startsWith('ExternalAccount:')) return payee
  const account = await findExternalAccountEvenIfDeleted(op, payee)
  if (!account) return undefined
  return [getHolderName(account), describeShortly(account)].filter(Boolean).join(', ')
}

type Outcome = PolicyDecision['outcome']

function countOutcomes(data: readonly { readonly was: Outcome; readonly wouldBe: Outcome }[]) {
  const count = (field: 'was' | 'wouldBe') => {
    const countOutcome = (outcome: Outcome) => data.filter((decision) => decision[field] === outcome).length
    return {
      ALLOWED: countOutcome('ALLOWED'),
      APPROVAL_REQUIRED: countOutcome('APPROVAL_REQUIRED'),
      DENIED: countOutcome('DENIED'),
    }
  }
  return {
    actions: data.length,
    changed: data.filter(({ was, wouldBe }) => was !== wouldBe).length,
    was: count('was'),
    wouldBe: count('wouldBe'),
  }
}
