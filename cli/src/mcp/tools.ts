import type { AgentPermission } from '@countersign/contract/agents/agent-policy'
import { API } from '@countersign/contract/api'
import { isKeyOf } from '@countersign/contract/core/objects'
import type { AgentCallName } from '@countersign/sdk'
import type { OwnAgent } from '@countersign/sdk/agent'
import { describeAccounts, describeApprovals, describeLimits } from '../agents/words.ts'
import { type InputChange, listMembers, type ToolMember, toInputSchema } from './input-schemas.ts'

/** The effects of a tool, as annotations of the protocol. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/**
 * A tool, which makes one API call. Tool names have a prefix because a host merges the tools of many servers
 * into one list.
 */
export interface Tool extends InputChange {
  readonly call: AgentCallName
  readonly title: string
  readonly description: string
  readonly hints: Hints
  /** The permission that the agent's policy must include. */
  readonly permission?: AgentPermission
  /** True if the policy's spending limits apply. */
  readonly isLimited?: boolean
  /** True if the tool waits for a decision, up to the given number of seconds. */
  readonly waits?: boolean
}

const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** For tools that create something new on each call. */
const CREATES: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}
/** For tools that move money on each call. */
const PAYS: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const AMOUNTS = 'Amounts are whole numbers of the smallest unit of their currency: 2500 is 25.00 USD.'
const WAITS =
  'The response is an action: APPROVED was executed, PENDING_APPROVAL waits for a person (use countersign_wait_for_decision). ' +
  'A denial is FORBIDDEN or VELOCITY_LIMIT_EXCEEDED; its details name the rule, the requested and the remaining amount.'

/** Maximum wait of countersign_wait_for_decision. Many hosts abort a tool call after a minute. */
export const WAIT_SECONDS_MAX = 50
export const WAIT_SECONDS = 30

const TIMEOUT_SECONDS: ToolMember = {
  name: 'timeoutSeconds',
  isOptional: true,
  schema: {
    type: 'integer',
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    description: `Seconds to wait. null: ${WAIT_SECONDS}`,
  },
}

export const TOOLS = {
  countersign_whoami: {
    call: 'agent_me_get',
    title: 'Show your identity and permissions',
    description: `Your name, your customer, your policy and your usage of its limits, as they are now. ${AMOUNTS}`,
    hints: READS,
  },
  countersign_list_accounts: {
    call: 'agent_me_internal_account_list',
    title: 'Internal accounts',
    description: `The accounts of your customer that can pay, with balances: balance can be spent, totalBalance includes holds. ${AMOUNTS}`,
    hints: READS,
  },
  countersign_list_external_accounts: {
    call: 'agent_me_external_account_list',
    title: 'External accounts',
    description:
      'The external accounts of your customer that can be paid to, such as bank accounts and wallets.',
    hints: READS,
  },
  countersign_exchange_rates: {
    call: 'agent_me_exchange_rate_list',
    title: 'Exchange rates',
    description: `The current value of an amount in another currency, with fees. It locks nothing: a quote does. ${AMOUNTS}`,
    hints: READS,
    describes: { destinationCurrency: 'The currencies to convert into, like EUR. null: all of them' },
  },
  countersign_create_quote: {
    call: 'agent_me_quote_create',
    title: 'Lock a price',
    description: `A price for a payment, valid until expiresAt. No money moves until countersign_execute_quote. ${AMOUNTS}`,
    hints: CREATES,
    permission: 'CREATE_QUOTES',
    without: ['immediatelyExecute', 'lookupId'],
  },
  countersign_get_quote: {
    call: 'agent_me_quote_get',
    title: 'Read a quote',
    description: 'A quote that you created, with its current status.',
    hints: READS,
  },
  countersign_execute_quote: {
    call: 'agent_me_quote_execute',
    title: 'Pay a quote',
    description: `Pays your quote, once. A payment from an EMBEDDED_WALLET waits for the customer's signature. ${WAITS}`,
    // A quote is paid only once, no matter how often the tool is called.
    hints: { ...PAYS, idempotentHint: true },
    permission: 'EXECUTE_QUOTES',
    isLimited: true,
  },
  countersign_transfer_out: {
    call: 'agent_me_transfer_out',
    title: 'Push money out',
    description: `Pays from an internal account to an external one of the same currency; for another currency, create a quote. ${AMOUNTS} ${WAITS}`,
    hints: PAYS,
    permission: 'CREATE_TRANSFERS',
    isLimited: true,
    // Without an amount, the API would send the whole balance: too risky if the field is forgotten or
    // misspelled.
    insistsOn: ['amount'],
  },
  countersign_transfer_in: {
    call: 'agent_me_transfer_in',
    title: 'Pull money in',
    description: `Pulls money from an external account into an internal one of the same currency. It counts against the limits like a payment. ${AMOUNTS} ${WAITS}`,
    hints: PAYS,
    permission: 'CREATE_TRANSFERS',
    isLimited: true,
    insistsOn: ['amount'],
  },
  countersign_list_transactions: {
    call: 'agent_me_transaction_list',
    title: 'Transactions',
    description: `Your customer's payments, in and out, newest first. ${AMOUNTS}`,
    hints: READS,
    permission: 'VIEW_TRANSACTIONS',
  },
  countersign_get_transaction: {
    call: 'agent_me_transaction_get',
    title: 'Read a transaction',
    description: 'One payment and its status. Payments that you started can be read with any policy.',
    hints: READS,
  },
  countersign_list_actions: {
    call: 'agent_me_action_list',
    title: 'My actions',
    description: 'Your actions so far, newest first, with the decisions about them.',
    hints: READS,
  },
  countersign_get_action: {
    call: 'agent_me_action_get',
    title: 'Read an action',
    description: 'One of your actions: its status, the transaction, and why it was rejected or failed.',
    hints: READS,
  },
  countersign_wait_for_decision: {
    call: 'agent_me_action_get',
    title: 'Wait for a decision',
    description: `Reads an action once it is decided: APPROVED, REJECTED or FAILED; rejectionReason says why. Without a decision within timeoutSeconds it is still PENDING_APPROVAL: call again later.`,
    hints: READS,
    waits: true,
    adds: [TIMEOUT_SECONDS],
  },
  countersign_simulate: {
    call: 'agent_me_policy_simulate',
    title: 'Check an action against the policy',
    description: `Returns ALLOWED, APPROVAL_REQUIRED or DENIED for an action, with the rule that decides. Nothing is executed or reserved; balances are not checked. ${AMOUNTS}`,
    hints: READS,
  },
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof TOOLS

export function findTool(name: string): Tool | undefined {
  return isKeyOf(TOOLS, name) ? TOOLS[name] : undefined
}

/** A tool's input fields, derived from its endpoint in the contract. */
export function listToolFields(tool: Tool): ToolMember[] {
  return listMembers(API[tool.call], tool)
}

/** Lists the tools in the protocol's format, with notes about the agent's current policy, if known. */
export function listTools(agent: OwnAgent | undefined) {
  return Object.entries(TOOLS).map(([name, tool]: [string, Tool]) => ({
    name,
    title: tool.title,
    description: [tool.description, ...(agent ? describePolicy(tool, agent) : [])].join('\n'),
    inputSchema: toInputSchema(listToolFields(tool)),
    annotations: { title: tool.title, ...tool.hints },
  }))
}

/** Describes how the current policy affects a tool. */
export function describePolicy({ permission, isLimited, hints }: Tool, agent: OwnAgent): string[] {
  const { permissions, accountRestrictions } = agent.policy
  if (permission !== undefined && !permissions.includes(permission))
    return [`Not permitted now: your policy lacks ${permission}.`]
  if (agent.isPaused && !hints.readOnlyHint) return ['Not permitted now: you are paused.']
  if (!isLimited) return []
  const { accountRules = [] } = accountRestrictions ?? {}
  return [
    'Your current policy (call countersign_whoami for later changes):',
    ...describeLimits(agent).map((line) => `- ${line}`),
    `- ${describeApprovals(agent)}`,
    ...describeAccounts(agent, formatIds).map((line) => `- ${line}`),
    ...(accountRules.length > 0
      ? [`- accounts with their own rules: ${formatIds(accountRules.map((rule) => rule.accountId))}`]
      : []),
  ]
}

const IDS_MAX = 10

/** Formats a list of ids, truncated because a policy may contain hundreds. */
function formatIds(ids: readonly string[]): string {
  if (ids.length <= IDS_MAX) return ids.join(', ')
  return `${ids.slice(0, IDS_MAX).join(', ')} and ${ids.length - IDS_MAX} more (countersign_whoami lists them)`
}
