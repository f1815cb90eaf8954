import type { AgentPermission } from '@countersign/contract/agents/agent-policy'
import { API } from '@countersign/contract/api'
import type { AgentCallName } from '@countersign/sdk'
import type { OwnAgent } from '@countersign/sdk/agent'
import { accountsInWords, approvalsInWords, limitsInWords } from '../agents/words.ts'
import { outputOf } from './answer-schemas.ts'
import { type InputChange, inputOf, type ToolInput } from './schemas.ts'

/** The effects of a tool, in the protocol's terms. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool: one call of the API under its own name. */
export interface Tool extends InputChange {
  readonly call: AgentCallName
  readonly title: string
  readonly description: string
  readonly hints: Hints
  /** The permission that the policy must have for the call. */
  readonly permission?: AgentPermission
  /** Whether the limits of the policy apply. */
  readonly isLimited?: boolean
  /** Waits until the action is decided, at most for the seconds that the caller gives. */
  readonly waits?: boolean
}

const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** Creates something new each time. */
const MAKES: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
}
/** Moves money each time. */
const PAYS: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const AMOUNTS = 'Amounts are whole numbers of the smallest unit of their currency: 2500 is 25.00 USD.'
const WAITS =
  'The answer is an action: APPROVED was executed, PENDING_APPROVAL waits for a person (use wait_for_decision). ' +
  'A denial is FORBIDDEN or VELOCITY_LIMIT_EXCEEDED; its details name the rule, what was asked and what was left.'

/** The longest call of wait_for_decision: programs abort a tool after a minute. */
export const WAIT_SECONDS_MAX = 50
export const WAIT_SECONDS = 30

export const TOOLS = {
  whoami: {
    call: 'agent_me_get',
    title: 'Who am I, and what may I do',
    description: `Your name, your customer, your policy and your usage of its limits, as they are now. ${AMOUNTS}`,
    hints: READS,
  },
  list_accounts: {
    call: 'agent_me_internal_account_list',
    title: 'Internal accounts',
    description: `The accounts of your customer that can pay, with balances: balance can be spent, totalBalance includes holds. ${AMOUNTS}`,
    hints: READS,
  },
  list_external_accounts: {
    call: 'agent_me_external_account_list',
    title: 'External accounts',
    description:
      'The external accounts of your customer that can be paid to, such as bank accounts and wallets.',
    hints: READS,
  },
  exchange_rates: {
    call: 'agent_me_exchange_rate_list',
    title: 'Exchange rates',
    description: `The current value of an amount in another currency, with fees. It locks nothing: a quote does. ${AMOUNTS}`,
    hints: READS,
  },
  create_quote: {
    call: 'agent_me_quote_create',
    title: 'Lock a price',
    description: `A price for a payment, valid until expiresAt. No money moves until execute_quote. ${AMOUNTS}`,
    hints: MAKES,
    permission: 'CREATE_QUOTES',
    without: ['immediatelyExecute', 'lookupId'],
  },
  get_quote: {
    call: 'agent_me_quote_get',
    title: 'Read a quote',
    description: 'A quote that you created, with its current status.',
    hints: READS,
  },
  execute_quote: {
    call: 'agent_me_quote_execute',
    title: 'Pay a quote',
    description: `Pays your quote, once. A payment from an EMBEDDED_WALLET waits for the customer's signature. ${WAITS}`,
    // A quote is paid once, however often this tool is called.
    hints: { ...PAYS, idempotentHint: true },
    permission: 'EXECUTE_QUOTES',
    isLimited: true,
  },
  transfer_out: {
    call: 'agent_me_transfer_out',
    title: 'Push money out',
    description: `Pays from an internal account to an external one of the same currency; for another currency, create a quote. ${AMOUNTS} ${WAITS}`,
    hints: PAYS,
    permission: 'CREATE_TRANSFERS',
    isLimited: true,
    // Without an amount the API sends the whole balance: too much for a forgotten or misspelt member.
    insistsOn: ['amount'],
  },
  transfer_in: {
    call: 'agent_me_transfer_in',
    title: 'Pull money in',
    description: `Pulls money from an external account into an internal one of the same currency. It counts against the limits like a payment. ${AMOUNTS} ${WAITS}`,
    hints: PAYS,
    permission: 'CREATE_TRANSFERS',
    isLimited: true,
    insistsOn: ['amount'],
  },
  list_transactions: {
    call: 'agent_me_transaction_list',
    title: 'Transactions',
    description: `The payments of your customer, in and out, the newest first. ${AMOUNTS}`,
    hints: READS,
    permission: 'VIEW_TRANSACTIONS',
  },
  get_transaction: {
    call: 'agent_me_transaction_get',
    title: 'Read a transaction',
    description: 'One payment and its status. Payments that you started can be read with any policy.',
    hints: READS,
  },
  list_actions: {
    call: 'agent_me_action_list',
    title: 'My actions',
    description: 'Your actions so far, the newest first, with the decisions about them.',
    hints: READS,
  },
  get_action: {
    call: 'agent_me_action_get',
    title: 'Read an action',
    description: 'One of your actions: its status, the transaction, and why it was rejected or failed.',
    hints: READS,
  },
  wait_for_decision: {
    call: 'agent_me_action_get',
    title: 'Wait for a decision',
    description: `Reads an action once it is decided: APPROVED, REJECTED or FAILED; rejectionReason says why. If nobody has decided within timeoutSeconds (default ${WAIT_SECONDS}), it is still PENDING_APPROVAL: call again later.`,
    hints: READS,
    waits: true,
  },
  simulate: {
    call: 'agent_me_policy_simulate',
    title: 'Ask what the policy would decide',
    description: `Whether an action would be ALLOWED, APPROVAL_REQUIRED or DENIED, and by which rule. Nothing is executed or reserved; balances are not checked. ${AMOUNTS}`,
    hints: READS,
  },
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof TOOLS

/** The tool with this name. */
export function findTool(name: string): Tool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : undefined
}

/** The input of a tool, which is that of its endpoint in the contract. */
export function toolInput(tool: Tool): ToolInput {
  const input = inputOf(API[tool.call], tool)
  if (!tool.waits) return input
  const timeoutSeconds = {
    type: 'integer',
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: WAIT_SECONDS,
    description: 'Seconds to wait',
  }
  return { ...input, properties: { ...input.properties, timeoutSeconds } }
}

/** The tools as the protocol lists them, with what the agent's policy now says of each. Undefined: not known. */
export function listTools(agent: OwnAgent | undefined) {
  return Object.entries(TOOLS).map(([name, tool]: [string, Tool]) => ({
    name,
    title: tool.title,
    description: [tool.description, ...(agent ? policyNotes(tool, agent) : [])].join('\n'),
    inputSchema: toolInput(tool),
    outputSchema: outputOf(API[tool.call]),
    annotations: { title: tool.title, ...tool.hints },
  }))
}

/** What the policy now says of a tool, in words. */
export function policyNotes({ permission, isLimited, hints }: Tool, agent: OwnAgent): string[] {
  const { permissions, accountRestrictions } = agent.policy
  if (permission !== undefined && !permissions.includes(permission))
    return [`Not permitted now: your policy lacks ${permission}.`]
  if (agent.isPaused && !hints.readOnlyHint) return ['Not permitted now: you are paused.']
  if (!isLimited) return []
  const { accountRules = [] } = accountRestrictions ?? {}
  return [
    'Your current policy (call whoami for later changes):',
    ...limitsInWords(agent).map((line) => `- ${line}`),
    `- ${approvalsInWords(agent)}`,
    ...accountsInWords(agent).map((line) => `- ${line}`),
    ...(accountRules.length > 0
      ? [`- accounts with their own rules: ${accountRules.map((rule) => rule.accountId).join(', ')}`]
      : []),
  ]
}
