import { AGENT_APPROVAL_SECONDS, type AgentActionType } from '@countersign/contract/agents/agent-actions'
import { present } from '@countersign/contract/core/objects'
import { AGENT_ACTION_INITIAL, AGENT_ACTION_TRANSITIONS } from '@countersign/contract/states/agent-states'
import { requireValue } from '../../base/formats/require-value.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { toPeriods } from '../../kernel/operation/periods.ts'
import { event } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toSentAmount,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import { findPayload, findQuote, quoteView } from '../../money/quotes/quotes.ts'
import { getFunding } from '../../money/quotes/settlement.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { AgentActionRow, AgentReservationRow, AgentRow } from '../../storage/rows/agent.ts'
import { RESERVATION_INITIAL, RESERVATION_TRANSITIONS } from '../../storage/rows/states.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import {
  type AgentRequest,
  denyRequest,
  evaluateRequest,
  getRequiredPermission,
  guardAgent,
  recordDecision,
} from '../policy/evaluate.ts'
import type { ActionPayment } from './action-payment.ts'
import { describePayment } from './describe-payment.ts'

/** An agent's proposal, valid in every respect except that the policy has not been checked yet. */
export interface Proposal extends ActionPayment {
  readonly type: AgentActionType
  /** True if the customer has signed. Matters only if an embedded wallet pays. */
  readonly isSigned: boolean
  /** Executes the proposal immediately. Returns the writes and the resulting payment. */
  begin(): ActionPayment & { readonly writes: readonly Write[] }
  /** The writes for a proposal that waits for approval. */
  record(): readonly Write[]
}

/** A quote that pulls money from an external account also needs the permission for transfers in. */
export function findPullPermission(quote: QuoteRow): Pick<AgentRequest, 'alsoNeeds'> {
  return getFunding(quote) === 'PULLED' ? { alsoNeeds: [getRequiredPermission('TRANSFER_IN')] } : {}
}

/** The permissions and amounts that the policy must allow for a payment. */
export function buildRequest(
  type: AgentActionType,
  { transaction, quote }: ActionPayment,
  isSigned: boolean,
): AgentRequest & { readonly spends: NonNullable<AgentRequest['spends']> } {
  // The account behind an UMA address may belong to anyone, so the policy is checked against the address.
  const destination = quote?.destination_uma ? null : transaction.destination_account_id
  return {
    permission: getRequiredPermission(type),
    ...(quote ? findPullPermission(quote) : {}),
    accountIds: [transaction.source_account_id, destination],
    spends: {
      ...toSentAmount(transaction),
      needsSignature: quote !== undefined && quote.signing_request_id !== null && !isSigned,
    },
  }
}

/**
 * Evaluates the policy for a payment, then executes the payment or makes it wait for the platform's approval.
 * Either way, its amount is reserved. Guards: the policy is unchanged, and parallel actions cannot exceed a
 * limit; throws 403 `FORBIDDEN` or `VELOCITY_LIMIT_EXCEEDED`.
 */
export async function proposeAction(op: Op, agent: AgentRow, proposal: Proposal) {
  const evaluation = await evaluateRequest(
    op,
    agent,
    buildRequest(proposal.type, proposal, proposal.isSigned),
  )
  const { decision } = evaluation
  if (decision.outcome === 'DENIED') throw denyRequest(op, agent, evaluation)
  const needsApproval = decision.outcome === 'APPROVAL_REQUIRED'
  const row = buildAction(op, agent, proposal, needsApproval)
  const payment = needsApproval
    ? { transaction: proposal.transaction, quote: proposal.quote, writes: proposal.record() }
    : proposal.begin()
  const view = await toActionView(op, row, payment)
  const reservation = buildReservation(op, row, {
    currency: requireValue(decision.currency, 'currency of an action'),
    amount: requireValue(decision.amount, 'amount of an action'),
    state: needsApproval ? RESERVATION_INITIAL : RESERVATION_TRANSITIONS[RESERVATION_INITIAL].capture,
  })
  return {
    view,
    writes: [
      guardAgent(agent),
      ...payment.writes,
      insert('agent_actions', row),
      insert('agent_reservations', reservation),
      recordDecision(op, agent, evaluation, row.id),
      ...(needsApproval
        ? [
            event(op, 'AGENT_ACTION.PENDING_APPROVAL', row.id, {
              ...view,
              agentName: agent.name,
              summary: await describePayment(op, payment),
              decision,
            }),
            job(op, 'agent-action.expire', { actionId: row.id }, row.expires_at),
          ]
        : []),
    ],
  }
}

function buildAction(op: Op, agent: AgentRow, proposal: Proposal, needsApproval: boolean): AgentActionRow {
  const { transaction, quote } = proposal
  return {
    id: op.newId('AgentAction'),
    platform_id: op.platform.id,
    agent_id: agent.id,
    customer_id: agent.customer_id,
    type: proposal.type,
    state: needsApproval ? AGENT_ACTION_INITIAL : AGENT_ACTION_TRANSITIONS[AGENT_ACTION_INITIAL].approve,
    decided: null,
    quote_id: quote?.id ?? null,
    transaction_id: transaction.id,
    is_signed: proposal.isSigned,
    reason: null,
    expires_at: quote?.expires_at ?? addSeconds(op.now, AGENT_APPROVAL_SECONDS),
    created_at: op.now,
    updated_at: op.now,
  }
}

function buildReservation(
  op: Op,
  action: AgentActionRow,
  reserved: Pick<AgentReservationRow, 'currency' | 'amount' | 'state'>,
): AgentReservationRow {
  return {
    id: action.transaction_id,
    platform_id: op.platform.id,
    agent_id: action.agent_id,
    ...reserved,
    ...toPeriods(op.now),
    created_at: op.now,
    updated_at: op.now,
  }
}

export async function findPayment(op: Op, action: AgentActionRow): Promise<ActionPayment> {
  const [transaction, quote] = await Promise.all([
    findTransaction(op, action.transaction_id),
    action.quote_id === null ? undefined : findQuote(op, action.quote_id),
  ])
  return { transaction, quote }
}

/** Converts an action to its API form. */
export async function toActionView(op: Op, action: AgentActionRow, { transaction, quote }: ActionPayment) {
  return present({
    id: action.id,
    agentId: action.agent_id,
    customerId: action.customer_id,
    platformCustomerId: requireColumn(transaction, 'platform_customer_id'),
    status: action.state,
    type: action.type,
    quote: quote && quoteView(op, quote, await findPayload(op, quote)),
    transferDetails: quote ? undefined : toTransferDetails(transaction),
    transaction: toTransactionView(transaction, transaction),
    rejectionReason: action.reason,
    createdAt: action.created_at.toISOString(),
    updatedAt: action.updated_at.toISOString(),
  })
}

function toTransferDetails(transaction: TransactionWithCustomer) {
  return {
    ...toSentAmount(transaction),
    sourceAccountId: requireColumn(transaction, 'source_account_id'),
    destinationAccountId: requireColumn(transaction, 'destination_account_id'),
  }
}

/** Converts actions to their API form, each with its current payment. */
export async function toActionViews(op: Op, actions: readonly AgentActionRow[]) {
  return Promise.all(actions.map(async (action) => toActionView(op, action, await findPayment(op, action))))
}
