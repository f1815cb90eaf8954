import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import type { AgentActionRow, AgentDecisionRow } from '../../storage/rows/agent.ts'
import type { Step } from './steps.ts'
import { selectDecisionsOfAction } from './store.ts'

/** The policy decisions about an agent's payment, and the platform's decision if it needed approval. */
export async function buildAgentSteps(op: Op, action: AgentActionRow): Promise<Step[]> {
  const decisions = await selectDecisionsOfAction(op, action)
  const approval = buildApprovalStep(action)
  return [...decisions.map((row) => buildDecisionStep(row)), ...(approval ? [approval] : [])]
}

const OUTCOMES: Readonly<Record<AgentDecisionRow['decision']['outcome'], string>> = {
  ALLOWED: 'allowed the payment',
  APPROVAL_REQUIRED: 'required platform approval',
  DENIED: 'denied the payment',
}

function buildDecisionStep({ id, agent_id, decision, policy_version, created_at }: AgentDecisionRow): Step {
  const because = decision.because ? `. Reason: ${decision.because.join(', ')}` : ''
  const rule = decision.rule === undefined ? '' : ` under rule ${decision.rule}`
  return {
    step: 'POLICY_DECISION',
    id,
    state: decision.outcome,
    at: created_at.toISOString(),
    summary: `Policy version ${policy_version} of ${agent_id} ${OUTCOMES[decision.outcome]}${rule}${because}.`,
  }
}

/** The platform's decision about an action; undefined if the policy allowed the action immediately. */
function buildApprovalStep(action: AgentActionRow): Step | undefined {
  const { id, state, decided, reason, updated_at } = action
  if (decided === null && state === 'APPROVED') return undefined
  const summary =
    decided === 'APPROVE'
      ? 'The platform approved the payment.'
      : decided === 'REJECT'
        ? `The platform rejected the payment${reason === null ? '' : `: ${reason}`}.`
        : state === 'PENDING_APPROVAL'
          ? 'The payment is waiting for platform approval.'
          : `The payment ended without approval${reason === null ? '' : `: ${reason}`}.`
  return present({ step: 'APPROVAL' as const, id, state, at: updated_at.toISOString(), summary })
}
