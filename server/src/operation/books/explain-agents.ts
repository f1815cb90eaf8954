import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import type { AgentActionRow, AgentDecisionRow } from '../../storage/rows/agent.ts'
import type { Step } from './steps.ts'
import { selectDecisionsOfAction } from './store.ts'

/** The decision of an agent's policy about a payment, and the platform's decision after it. */
export async function agentSteps(op: Op, action: AgentActionRow): Promise<Step[]> {
  const decisions = await selectDecisionsOfAction(op, action)
  const approval = approvalStep(action)
  return [...decisions.map((row) => decisionStep(row)), ...(approval ? [approval] : [])]
}

const OUTCOMES: Readonly<Record<AgentDecisionRow['decision']['outcome'], string>> = {
  ALLOWED: 'allowed it',
  APPROVAL_REQUIRED: 'asked for the approval of the platform',
  DENIED: 'denied it',
}

function decisionStep({ id, agent_id, decision, policy_version, created_at }: AgentDecisionRow): Step {
  const because = decision.because ? `, because of ${decision.because.join(', ')}` : ''
  const rule = decision.rule === undefined ? '' : `, by the rule ${decision.rule}`
  return {
    step: 'POLICY_DECISION',
    id,
    state: decision.outcome,
    at: created_at.toISOString(),
    summary: `The policy of ${agent_id}, version ${policy_version}, ${OUTCOMES[decision.outcome]}${because}${rule}.`,
  }
}

/** The platform's decision about an action; undefined if the policy allowed the action immediately. */
function approvalStep(action: AgentActionRow): Step | undefined {
  const { id, state, decided, reason, updated_at } = action
  if (decided === null && state === 'APPROVED') return undefined
  const summary =
    decided === 'APPROVE'
      ? 'The platform approved it.'
      : decided === 'REJECT'
        ? `The platform rejected it${reason === null ? '' : `: ${reason}`}.`
        : state === 'PENDING_APPROVAL'
          ? 'It waits for the approval of the platform.'
          : `It ended without an approval${reason === null ? '' : `: ${reason}`}.`
  return present({ step: 'APPROVAL' as const, id, state, at: updated_at.toISOString(), summary })
}
