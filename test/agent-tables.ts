import {
  AGENT_APPROVAL_RULES,
  AGENT_APPROVALS,
  AGENT_DENIAL_RULES,
  AGENT_DENIALS,
} from '@countersign/contract/agents/agent-policy'
import { ATTEMPT_LIMITS, type AttemptKind } from '../server/src/kernel/ports/failed-attempts.ts'
import { formatMarkdownTable } from './markdown-table.ts'

/** The rules that deny a payment, in the order in which they are checked. */
export function formatAgentDenialTable(): string {
  return formatMarkdownTable(
    ['`details.rule`', 'response', 'when'],
    AGENT_DENIAL_RULES.map((rule) => [
      `\`${rule}\``,
      `403 \`${AGENT_DENIALS[rule].code}\``,
      AGENT_DENIALS[rule].when,
    ]),
  )
}

export function formatAgentApprovalTable(): string {
  return formatMarkdownTable(
    ['`because`', 'when'],
    AGENT_APPROVAL_RULES.map((rule) => [`\`${rule}\``, AGENT_APPROVALS[rule]]),
  )
}

/** Agents are not concerned by the limits for verification page links and for the sign-in of team members. */
type AgentAttemptKind = Exclude<AttemptKind, 'kycLinksByAddress' | `member${string}`>

const ATTEMPT_DESCRIPTIONS: Readonly<Record<AgentAttemptKind, string>> = {
  deviceCodesByAddress: 'invalid device codes, from one address',
  deviceCodeReads: 'status reads of invalid device codes, by one platform',
  deviceCode: 'attempts at one code, from anywhere',
  bearerTokensByAddress: 'invalid bearer tokens, from one address',
}

export function formatAttemptLimitTable(): string {
  return formatMarkdownTable(
    ['failed attempts', 'limit', 'within'],
    (Object.keys(ATTEMPT_DESCRIPTIONS) as AgentAttemptKind[]).map((kind) => [
      ATTEMPT_DESCRIPTIONS[kind],
      `${ATTEMPT_LIMITS[kind].attemptsMax}`,
      `${ATTEMPT_LIMITS[kind].seconds / 60} minutes`,
    ]),
  )
}
