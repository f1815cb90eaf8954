import type { AgentPermission } from '@countersign/contract/agents/agent-policy'
import { API } from '@countersign/contract/api'
import type { OwnAgent } from '@countersign/sdk/agent'
import type { AgentCallName } from '@countersign/sdk/calls'
import { accountsInWords, approvalsInWords, limitsInWords } from '../agents/words.ts'
import { type InputChange, inputOf, type ToolInput } from './schemas.ts'

/** What a tool does to the world, in the words of the protocol. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool: one call of the API under a name of its own. */
export interface Tool extends InputChange {
  readonly call: AgentCallName
  readonly title: string
  readonly description: string
  readonly hints: Hints
  /** Without it in the policy the API refuses the call. */
  readonly permission?: AgentPermission
  /** Whether the limits of the policy hold it. */
  readonly isLimited?: boolean
  /** Waits until the answer is decided, for so many seconds at most as the caller says. */
  readonly waits?: boolean
}

const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** Makes something new each time. */
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
  'The answer is an action: APPROVED was done, PENDING_APPROVAL waits for a person (use wait_for_decision). ' +
  'A refusal is FORBIDDEN or VELOCITY_LIMIT_EXCEEDED; its details name the rule, what was asked and what was left.'

/** How long one call of wait_for_decision may take: programs give up on a tool after a minute. */
export const WAIT_SECONDS_MAX = 50
export const WAIT_SECONDS = 30

export const TOOLS = {
  whoami: {
    call: 'agent_me_get',
    title: 'Who am I, and what may I do',
    description: `Your name, your customer, your policy and what you have used of its limits, as they are now. ${AMOUNTS}`,
    hints: READS,
  },
  list_accounts: {
    call: 'agent_me_internal_account_list',
    title: 'Accounts here',
    description: `The accounts of your customer that money can be paid from, with balances: balance can be spent, totalBalance includes what is held. ${AMOUNTS}`,
    hints: READS,
  },
  list_external_accounts: {
    call: 'agent_me_external_account_list',
    title: 'Accounts elsewhere',
    description: 'The bank accounts, wallets and so on of your customer that money can be paid to.',
    hints: READS,
  },
  exchange_rates: {
    call: 'agent_me_exchange_rate_list',
    title: 'Exchange rates',
    description: `What an amount of one currency comes to in another now, with fees. It locks nothing: a quote does. ${AMOUNTS}`,
    hints: READS,
  },
  create_quote: {
    call: 'agent_me_quote_create',
    title: 'Lock a price',
    description: `A price for a payment, good until expiresAt. No money moves until execute_quote. ${AMOUNTS}`,
    hints: MAKES,
    permission: 'CREATE_QUOTES',
    without: ['immediatelyExecute', 'lookupId'],
  },
  get_quote: {
    call: 'agent_me_quote_get',
    title: 'Read a quote',
    description: 'A quote that you created, and what has become of it.',
    hints: READS,
  },
  execute_quote: {
    call: 'agent_me_quote_execute',
    title: 'Pay a quote',
    description: `Pays a quote of yours, once. A payment from an EMBEDDED_WALLET waits for the customer's signature. ${WAITS}`,
    // A quote is paid once, however often this is called.
    hints: { ...PAYS, idempotentHint: true },
    permission: 'EXECUTE_QUOTES',
    isLimited: true,
  },
  transfer_out: {
    call: 'agent_me_transfer_out',
    title: 'Push money out',
    description: `Pays from an account here to one elsewhere of the same currency; for another currency make a quote. ${AMOUNTS} ${WAITS}`,
    hints: PAYS,
    permission: 'CREATE_TRANSFERS',
    isLimited: true,
    // Without an amount the API sends all there is: too much to come of a member that was forgotten or misspelt.
    insistsOn: ['amount'],
  },
  transfer_in: {
    call: 'agent_me_transfer_in',
    title: 'Pull money in',
    description: `Pulls money from an account elsewhere into one here of the same currency. It counts against the limits as a payment does. ${AMOUNTS} ${WAITS}`,
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
    description: 'One payment, and how far it has come. Those that you began can be read with any policy.',
    hints: READS,
  },
  list_actions: {
    call: 'agent_me_action_list',
    title: 'My actions',
    description: 'What you asked for so far, the newest first, and what was decided about it.',
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
    description: `Reads an action once it is decided: APPROVED, REJECTED or FAILED; rejectionReason says why. Where nobody has decided in timeoutSeconds (${WAIT_SECONDS} unless given) it is PENDING_APPROVAL still: ask again later.`,
    hints: READS,
    waits: true,
  },
  simulate: {
    call: 'agent_me_policy_simulate',
    title: 'Ask what the policy would say',
    description: `Whether an action would be ALLOWED, APPROVAL_REQUIRED or DENIED, and by which rule. Nothing is done or reserved; balances are not looked at. ${AMOUNTS}`,
    hints: READS,
  },
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof TOOLS

/** The tool of this name. */
export function findTool(name: string): Tool | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : undefined
}

/** What the tool takes: what its endpoint takes, by the contract. */
export function toolInput(tool: Tool): ToolInput {
  const input = inputOf(API[tool.call], tool)
  if (!tool.waits) return input
  const timeoutSeconds = {
    type: 'integer',
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: WAIT_SECONDS,
    description: 'How long to wait',
  }
  return { ...input, properties: { ...input.properties, timeoutSeconds } }
}

/** The tools as the protocol lists them, with what the policy of the agent says of each now; undefined: not known. */
export function listTools(agent: OwnAgent | undefined) {
  return Object.entries(TOOLS).map(([name, tool]: [string, Tool]) => ({
    name,
    title: tool.title,
    description: [tool.description, ...(agent ? policyNotes(tool, agent) : [])].join('\n'),
    inputSchema: toolInput(tool),
    annotations: { title: tool.title, ...tool.hints },
  }))
}

/** What the policy says of a tool now, in words. */
export function policyNotes({ permission, isLimited, hints }: Tool, agent: OwnAgent): string[] {
  const { permissions, accountRestrictions } = agent.policy
  if (permission !== undefined && !permissions.includes(permission))
    return [`Not permitted now: your policy lacks ${permission}.`]
  if (agent.isPaused && !hints.readOnlyHint) return ['Not permitted now: you are paused.']
  if (!isLimited) return []
  const { accountRules = [] } = accountRestrictions ?? {}
  return [
    'Your policy as it is now (whoami has it later):',
    ...limitsInWords(agent).map((line) => `- ${line}`),
    `- ${approvalsInWords(agent)}`,
    ...accountsInWords(agent).map((line) => `- ${line}`),
    ...(accountRules.length > 0
      ? [`- rules of their own: ${accountRules.map((rule) => rule.accountId).join(', ')}`]
      : []),
  ]
}
