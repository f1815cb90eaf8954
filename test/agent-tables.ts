import {
  AGENT_APPROVAL_RULES,
  AGENT_APPROVALS,
  AGENT_DENIAL_RULES,
  AGENT_DENIALS,
} from '@countersign/contract/agents/agent-policy'
import { ATTEMPT_LIMITS, type AttemptKind } from '../server/src/kernel/ports/failed-attempts.ts'
import { markdownTable } from './markdown-table.ts'

/** The rules that deny a payment, in the order in which they are checked. */
export function agentDenialTable(): string {
  return markdownTable(
    ['`details.rule`', 'response', 'when'],
    AGENT_DENIAL_RULES.map((rule) => [
      `\`${rule}\``,
      `403 \`${AGENT_DENIALS[rule].code}\``,
      AGENT_DENIALS[rule].when,
    ]),
  )
}

export function agentApprovalTable(): string {
  return markdownTable(
    ['`because`', 'when'],
    AGENT_APPROVAL_RULES.map((rule) => [`\`${rule}\``, AGENT_APPROVALS[rule]]),
  )
}

/** Verification page links and sign-in limits for team members do not concern agents. */
type AgentAttemptKind = Exclude<AttemptKind, 'kycLinksByAddress' | `member${string}`>

const TRIED: Readonly<Record<AgentAttemptKind, string>> = {
  deviceCodesByAddress: 'invalid device codes, from one address',
  deviceCodeReads: 'status reads of invalid device codes, by one platform',
  deviceCode: 'attempts at one code, from anywhere',
  bearerTokensByAddress: 'invalid bearer tokens, from one address',
}

export function attemptLimitTable(): string {
  return markdownTable(
    ['failed attempts', 'limit', 'within'],
    (Object.keys(TRIED) as AgentAttemptKind[]).map((kind) => [
      TRIED[kind],
      `${ATTEMPT_LIMITS[kind].attemptsMax}`,
      `${ATTEMPT_LIMITS[kind].seconds / 60} minutes`,
    ]),
  )
}
