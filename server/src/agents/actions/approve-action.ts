import { ERRORS } from '@countersign/contract/core/errors'
import { present } from '@countersign/contract/core/objects'
import { AGENT_ACTION_TRANSITIONS } from '@countersign/contract/states/agent-states'
import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { toSentAmount } from '../../kernel/transactions/transactions.ts'
import { checkExecution, executeQuote } from '../../money/quotes/execute-quote.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { Velocity } from '../../money/rails/velocity.ts'
import { draftTransferOut } from '../../money/transfers/transfer-out.ts'
import { beginRecordedTransfer, draftTransferIn } from '../../money/transfers/transfers.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { AgentActionRow } from '../../storage/rows/agent.ts'
import { RESERVATION_TRANSITIONS } from '../../storage/rows/states.ts'
import type { TransactionRow } from '../../storage/rows/tables.ts'
import { findAgent } from '../identity/agents.ts'
import { readPolicy } from '../policy/agent-policies.ts'
import { createDenialError, evaluateRequest, guardAgent, recordDecision } from '../policy/evaluate.ts'
import type { ActionPayment } from './action-payment.ts'
import { buildRequest, findPayment } from './actions.ts'
import { selectReservation, selectWaitingActions } from './store.ts'

/** A decided action with its payment and its writes. */
export interface DecidedAction extends ActionPayment {
  readonly action: AgentActionRow
  readonly writes: readonly Write[]
}

type Decision = NonNullable<AgentActionRow['decided']>

/**
 * The signature that the customer must provide before the platform can approve. Null if the customer has
 * already signed or need not sign.
 */
export async function findRequiredSignature(
  op: Op,
  action: AgentActionRow,
): Promise<{ requestId: string } | null> {
  if (action.state !== 'PENDING_APPROVAL' || action.is_signed || action.quote_id === null) return null
  const { signing_request_id } = await findQuote(op, action.quote_id)
  // The signature is needed only with the last approval.
  if (!(await castVote(op, action.id)).decides) return null
  return signing_request_id === null ? null : { requestId: signing_request_id }
}

/**
 * Approves an action after repeating every check; if a check fails, the action becomes FAILED and its
 * reservation is released. If further team members must approve, only this vote is recorded; returns
 * undefined if the action was already decided differently. Guards: the action is undecided, and the policy is
 * unchanged; throws 403 `FORBIDDEN` from `castVote`, and 409 `APPROVALS_MISSING` if a signature
 * (`isSignedNow`) arrives before the last vote.
 */
export async function approveAction(
  op: Op,
  action: AgentActionRow,
  isSignedNow: boolean,
): Promise<DecidedAction | undefined> {
  const payment = await findPayment(op, action)
  if (action.state !== 'PENDING_APPROVAL') return repeatDecision(action, payment, 'APPROVE')
  const vote = await castVote(op, action.id)
  if (!vote.decides) {
    if (isSignedNow) throw new ApiError('APPROVALS_MISSING')
    const guardStillWaiting = expectRow('agent_actions', action.id, { state: action.state })
    return { action, ...payment, writes: [...vote.writes, guardStillWaiting] }
  }
  const decided = await decideNow(op, action, payment)
  return { ...decided, writes: [...vote.writes, ...decided.writes] }
}

async function decideNow(op: Op, action: AgentActionRow, payment: ActionPayment): Promise<DecidedAction> {
  try {
    return await executeAction(op, action, payment)
  } catch (error) {
    // An internal error, an unavailable provider or an exhausted position limit decides nothing: the caller
    // may retry.
    if (!(error instanceof ApiError) || ERRORS[error.code].status === 503) throw error
    return endAction(op, action, payment, 'fail', { reason: error.message, decided: 'APPROVE' })
  }
}

/** Rejects an action. Returns undefined if the action was already decided differently. */
export async function rejectAction(
  op: Op,
  action: AgentActionRow,
  reason: string | undefined,
): Promise<DecidedAction | undefined> {
  const payment = await findPayment(op, action)
  if (action.state !== 'PENDING_APPROVAL') return repeatDecision(action, payment, 'REJECT')
  return endAction(op, action, payment, 'reject', { reason: reason ?? null, decided: 'REJECT' })
}

/**
 * Maximum rejections per write set. An agent may have any number of waiting actions, and they must not
 * prevent its deletion.
 */
const REJECTIONS_MAX = 100

/** Rejects the waiting actions of a deleted agent. A job rejects any beyond the first hundred. */
export async function rejectWaiting(op: Op, agentId: string): Promise<Write[]> {
  const waiting = await selectWaitingActions(op, agentId, REJECTIONS_MAX)
  const rejected = await Promise.all(
    waiting.map((action) => rejectAction(op, action, 'The agent was deleted.')),
  )
  return [
    ...rejected.flatMap((decided) => decided?.writes ?? []),
    ...(waiting.length === REJECTIONS_MAX ? [job(op, 'agent.reject-waiting', { agentId }, op.now)] : []),
  ]
}

/** Fails an action that was not decided before its deadline. */
export async function expireAction(op: Op, action: AgentActionRow): Promise<DecidedAction> {
  const reason = 'The action was not approved in time.'
  return endAction(op, action, await findPayment(op, action), 'expire', { reason, decided: null })
}

function repeatDecision(
  action: AgentActionRow,
  payment: ActionPayment,
  decision: Decision,
): DecidedAction | undefined {
  return action.decided === decision ? { action, ...payment, writes: [] } : undefined
}

/**
 * Executes an action, or throws the reason why it cannot be executed. The failed action shows the message of
 * that error, not its code.
 */
async function executeAction(op: Op, action: AgentActionRow, payment: ActionPayment): Promise<DecidedAction> {
  const agent = await findAgent(op, action.agent_id)
  const reservation = await selectReservation(op, action.transaction_id)
  if (reservation?.state !== 'RESERVED' || op.now >= action.expires_at)
    throw new ApiError('INVALID_STATE_TRANSITION', { message: 'The action was not approved in time.' })
  if (reservation.currency !== readPolicy(agent).spendingLimits.currency)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: "The agent's limits are now in another currency.",
    })
  // The approval has already checked the signature.
  const evaluation = await evaluateRequest(op, agent, buildRequest(action.type, payment, true), reservation)
  if (evaluation.decision.outcome === 'DENIED') throw createDenialError(evaluation)
  const executed = await executePayment(op, payment)
  const actionChange = transition(op, 'agent_actions', AGENT_ACTION_TRANSITIONS, action, 'approve', {
    decided: 'APPROVE',
  })
  return {
    action: actionChange.row,
    transaction: executed.transaction,
    quote: executed.quote,
    writes: [
      guardAgent(agent),
      actionChange.write,
      transition(op, 'agent_reservations', RESERVATION_TRANSITIONS, reservation, 'capture').write,
      ...executed.writes,
      recordDecision(op, agent, evaluation, action.id),
    ],
  }
}

async function executePayment(
  op: Op,
  { transaction, quote }: ActionPayment,
): Promise<ActionPayment & { readonly writes: readonly Write[] }> {
  if (quote) {
    return executeQuote(op, await checkExecution(op, quote, transaction), quote, transaction)
  }
  const { account } =
    transaction.kind === 'TRANSFER_IN'
      ? await draftTransferIn(op, toTransferInBody(transaction))
      : await draftTransferOut(op, toTransferOutBody(transaction))
  const velocityWrites = transaction.kind === 'TRANSFER_IN' ? [] : await new Velocity(op).admit(transaction)
  return { ...beginRecordedTransfer(op, transaction, account, velocityWrites), quote }
}

function toTransferInBody(row: TransactionRow): Parameters<typeof draftTransferIn>[1] {
  return {
    source: { accountId: requireColumn(row, 'source_account_id') },
    destination: { accountId: requireColumn(row, 'destination_account_id') },
    amount: toSentAmount(row).amount,
  }
}

function toTransferOutBody(row: TransactionRow): Parameters<typeof draftTransferOut>[1] {
  const { destination, ...body } = toTransferInBody(row)
  return { ...body, destination: { ...destination, ...present({ paymentRail: row.payment_rail }) } }
}

/** Ends an action and its payment, which releases the reservation. Guard: the action is undecided. */
function endAction(
  op: Op,
  action: AgentActionRow,
  payment: ActionPayment,
  cause: 'reject' | 'fail' | 'expire',
  { reason, decided }: Pick<AgentActionRow, 'reason' | 'decided'>,
): DecidedAction {
  const change = { reason: reason?.slice(0, 500) ?? null, decided }
  const actionChange = transition(
    op,
    'agent_actions',
    AGENT_ACTION_TRANSITIONS,
    action,
    cause === 'reject' ? 'reject' : 'fail',
    change,
  )
  const endedPayment = endPayment(op, payment, cause, change.reason)
  return { ...endedPayment, action: actionChange.row, writes: [actionChange.write, ...endedPayment.writes] }
}

/** Ends the payment of an action, unless it has already ended or was started some other way. */
function endPayment(
  op: Op,
  { transaction, quote }: ActionPayment,
  cause: 'reject' | 'fail' | 'expire',
  reason: string | null,
): ActionPayment & { readonly writes: readonly Write[] } {
  if (transaction.state !== 'PENDING' || transaction.hold_id !== null)
    return { transaction, quote, writes: [] }
  const details = reason === null ? transaction.details : addFailureDetail(transaction, reason)
  if (!quote) {
    const failure_reason = TRANSFER_FAILURE_REASONS[transaction.kind === 'TRANSFER_OUT' ? 'out' : 'in'][cause]
    const { row, writes } = moveTransaction(op, transaction, cause, { failure_reason, details })
    return { transaction: row, quote, writes }
  }
  const isExpired = cause === 'expire' || quote.expires_at <= op.now
  const endEvent = isExpired ? 'expire' : 'fail'
  const failure_reason = isExpired ? 'QUOTE_EXPIRED' : 'QUOTE_EXECUTION_FAILED'
  const quoteChange = transition(op, 'quotes', QUOTE_TRANSITIONS, quote, endEvent)
  const transactionChange = moveTransaction(op, transaction, endEvent, { failure_reason, details })
  return {
    transaction: transactionChange.row,
    quote: quoteChange.row,
    writes: [quoteChange.write, ...transactionChange.writes],
  }
}

/** Failure reasons of a transfer that waited for approval, by its type (specification 2.11). */
const TRANSFER_FAILURE_REASONS = {
  in: { reject: null, fail: 'PAY_REQUEST_FAILED', expire: 'PAYMENT_APPROVAL_TIMED_OUT' },
  out: { reject: 'QUOTE_EXECUTION_FAILED', fail: 'QUOTE_EXECUTION_FAILED', expire: 'QUOTE_EXPIRED' },
} as const

function addFailureDetail({ details }: TransactionWithCustomer, failureDetail: string) {
  return { ...details, counterparty: { ...details.counterparty, failureDetail } }
}
