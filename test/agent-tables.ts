import {
  AGENT_APPROVAL_RULES,
  AGENT_APPROVALS,
  AGENT_DENIAL_RULES,
  AGENT_DENIALS,
} from '@countersign/contract/agents/agent-policy'
import { TRY_LIMITS, type TryKind } from '../server/src/ports/tries.ts'
import { markdownTable } from './markdown-table.ts'

/** The rules that deny, in the order in which they are asked. */
export function agentDenialTable(): string {
  return markdownTable(
    ['`details.rule`', 'answer', 'when'],
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

const TRIED: Readonly<Record<TryKind, string>> = {
  deviceCodesByAddress: 'device codes that are none or not good any more, from one address',
  deviceCodeReads: 'device codes that are none, of which a platform reads the status',
  deviceCode: 'tries at one code, from anywhere',
  agentTokensByAddress: 'bearer tokens that are none, from one address',
}

export function tryLimitTable(): string {
  return markdownTable(
    ['what fails', 'so often', 'within'],
    (Object.keys(TRY_LIMITS) as TryKind[]).map((kind) => [
      TRIED[kind],
      `${TRY_LIMITS[kind].triesMax}`,
      `${TRY_LIMITS[kind].seconds / 60} minutes`,
    ]),
  )
}
