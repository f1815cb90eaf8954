import type { AgentActionType } from '@countersign/contract/agents/agent-actions'
import { AgentDecision } from '@countersign/contract/agents/agent-policy'
import {
  type policyReplays,
  REPLAY_DAYS,
  REPLAYED_ACTIONS_MAX,
} from '@countersign/contract/agents/policy-replay'
import { currencyRecord, isKnownCurrency } from '@countersign/contract/core/currencies'
import { decode } from '@countersign/contract/core/decode'
import { present } from '@countersign/contract/core/objects'
import { describeShortly, nameOfHolder } from '../../kernel/accounts/external-account-names.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { periodsOf } from '../../kernel/operation/periods.ts'
import { timeIfGiven } from '../../kernel/operation/time-range.ts'
import { findExternalAccountEver } from '../../money/external-accounts/external-accounts.ts'
import type { AgentDecisionRow } from '../../storage/rows/agent.ts'
import { findAgent } from '../identity/agents.ts'
import { policyOf } from '../policy/agent-policies.ts'
import { convertAmount } from '../policy/evaluate.ts'
import { describeDecision } from '../policy/explain-decision.ts'
import { decide, type Policy, type PolicyDecision, type PolicyRequest, type Usage } from '../policy/policy.ts'
import { applyPolicyChange, checkPolicy } from './policy-change.ts'
import { selectSpendingDecisions } from './store.ts'

const DAY_SECONDS = 86_400

export const policyReplayHandlers: Handlers<typeof policyReplays> = {
  agent_policy_replay: async (op, { params, body }) => {
    const agent = await findAgent(op, params.agentId)
    const draft = applyPolicyChange(policyOf(agent), body.policy, 'policy.')
    await checkPolicy(op, agent.customer_id, draft, 'policy.')
    const end = timeIfGiven(body.endDate) ?? op.now
    const start = timeIfGiven(body.startDate) ?? plusSeconds(end, -REPLAY_DAYS * DAY_SECONDS)
    const rows = await selectSpendingDecisions(op, agent.id, start, end, REPLAYED_ACTIONS_MAX + 1)
    const past = rows.slice(0, REPLAYED_ACTIONS_MAX).filter(isFirst).map(pastOf)
    const decided = await decideAgain(op, draft, past)
    const data = await Promise.all(decided.map((one) => replayView(op, draft, one)))
    return { status: 200, body: { data, counts: countsOf(data), isCut: rows.length > REPLAYED_ACTIONS_MAX } }
  },
}

/** A past decision, with its inputs. */
interface Past {
  readonly row: AgentDecisionRow
  readonly was: PolicyDecision
  readonly request: PolicyRequest
  readonly usage: Usage
}

/** An approval decides once more about the same action: the first decision is the agent's own request. */
function isFirst({ action_id }: AgentDecisionRow, index: number, rows: readonly AgentDecisionRow[]): boolean {
  return action_id === null || rows.findIndex((row) => row.action_id === action_id) === index
}

function pastOf(row: AgentDecisionRow): Past {
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

interface DecidedAgain extends Past {
  readonly wouldBe: PolicyDecision
}

/**
 * Decides about each action in order. Usage before the first of a day or a month comes from the record; from
 * then on the draft's own decisions count.
 */
async function decideAgain(op: Op, draft: Policy, past: readonly Past[]): Promise<DecidedAgain[]> {
  const used = new Map<string, { spent: bigint; count: number }>()
  const decided: DecidedAgain[] = []
  for (const one of past) {
    const { day, month } = periodsOf(one.row.created_at)
    const isSameCurrency = one.was.currency === draft.spendingLimits.currency
    const earlierSpending = (spent: bigint) => (decided.length === 0 && isSameCurrency ? spent : 0n)
    const ofDay = used.get(day) ?? {
      spent: earlierSpending(one.usage.dailySpend),
      count: decided.length === 0 ? one.usage.dailyCount : 0,
    }
    const ofMonth = used.get(month) ?? { spent: earlierSpending(one.usage.monthlySpend), count: 0 }
    const usage = { dailyCount: ofDay.count, dailySpend: ofDay.spent, monthlySpend: ofMonth.spent }
    const wouldBe = decide(draft, false, usage, await requestUnder(op, draft, one))
    const counts = wouldBe.outcome !== 'DENIED'
    const amount = counts ? (wouldBe.amount ?? 0n) : 0n
    used.set(day, { spent: ofDay.spent + amount, count: ofDay.count + (counts ? 1 : 0) })
    used.set(month, { spent: ofMonth.spent + amount, count: 0 })
    decided.push({ ...one, wouldBe })
  }
  return decided
}

/** The past request, its amount in the currencies of the draft. */
async function requestUnder(op: Op, draft: Policy, { request, was }: Past): Promise<PolicyRequest> {
  const { spends } = request
  if (!spends) return request
  const inCurrency = async (currency: string) =>
    was.amount === undefined || was.currency === undefined
      ? null
      : convertAmount(op, was.amount, was.currency, currency)
  const limits = draft.spendingLimits.currency
  return {
    ...request,
    spends: {
      amount: await inCurrency(limits),
      thresholdAmount: await inCurrency(draft.approvalThresholds?.currency ?? limits),
      needsSignature: spends.needsSignature,
    },
  }
}

async function replayView(op: Op, draft: Policy, { row, was, wouldBe, request }: DecidedAgain) {
  const { amount, currency } = was
  return present({
    decisionId: row.id,
    at: row.created_at.toISOString(),
    actionType: typeOf(request),
    amount:
      amount !== undefined && currency !== undefined && isKnownCurrency(currency)
        ? { amount, currency: currencyRecord(currency) }
        : undefined,
    payee: await payeeOf(op, request),
    was: was.outcome,
    wouldBe: wouldBe.outcome,
    rule: wouldBe.rule ?? wouldBe.because?.join(', '),
    words: describeDecision(wouldBe, draft),
  })
}

/** A request is stored by the permission that it needs and the accounts that it uses. */
function typeOf({ permission, accountIds }: PolicyRequest): AgentActionType {
  if (permission === 'EXECUTE_QUOTES') return 'EXECUTE_QUOTE'
  return accountIds[0]?.startsWith('ExternalAccount:') ? 'TRANSFER_IN' : 'TRANSFER_OUT'
}

async function payeeOf(op: Op, { accountIds }: PolicyRequest): Promise<string | undefined> {
  const payee = accountIds[1]
  if (payee === null) return 'An UMA address'
  if (!payee?.startsWith('ExternalAccount:')) return payee
  const account = await findExternalAccountEver(op, payee)
  if (!account) return undefined
  return [nameOfHolder(account), describeShortly(account)].filter(Boolean).join(', ')
}

type Outcome = PolicyDecision['outcome']

function countsOf(data: readonly { readonly was: Outcome; readonly wouldBe: Outcome }[]) {
  const count = (of: 'was' | 'wouldBe') => {
    const number = (outcome: Outcome) => data.filter((one) => one[of] === outcome).length
    return {
      ALLOWED: number('ALLOWED'),
      APPROVAL_REQUIRED: number('APPROVAL_REQUIRED'),
      DENIED: number('DENIED'),
    }
  }
  return {
    actions: data.length,
    changed: data.filter(({ was, wouldBe }) => was !== wouldBe).length,
    was: count('was'),
    wouldBe: count('wouldBe'),
  }
}
