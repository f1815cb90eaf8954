import type { transactionApprovals } from '@countersign/contract/payments/incoming-payments'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { findAgentAction } from '../../kernel/transactions/agent-action.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import {
  approveReceipt,
  isAwaitingApproval,
  rejectReceipt,
} from '../../money/incoming-payments/incoming-payments.ts'
import { buildExecutionCall } from '../../money/quotes/quotes.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { expectRow } from '../../storage/commit/writes.ts'
import {
  approveAction,
  type DecidedAction,
  findRequiredSignature,
  rejectAction,
} from '../actions/approve-action.ts'

export const transactionApprovalHandlers: Handlers<typeof transactionApprovals> = {
  transaction_approve: {
    async findSignedCall(op, { params }) {
      const action = await findAgentAction(op, await findTransaction(op, params.transactionId))
      return action && action.quote_id !== null ? buildExecutionCall(action.quote_id) : undefined
    },

    async toSign(op, { params }) {
      const action = await findAgentAction(op, await findTransaction(op, params.transactionId))
      return action ? findRequiredSignature(op, action) : null
    },

    async handle(op, { params, body, approval }) {
      const transaction = await findTransaction(op, params.transactionId)
      const action = await findAgentAction(op, transaction)
      if (action)
        return toDecisionResponse(transaction, await approveAction(op, action, approval !== undefined))
      const awaiting = requireAwaitingApproval(op, transaction)
      const vote = await castVote(op, transaction.id)
      if (!vote.decides) {
        const guardStillWaiting = expectRow('transactions', awaiting.id, { state: awaiting.state })
        return {
          status: 200,
          body: toTransactionView(awaiting, awaiting),
          writes: [...vote.writes, guardStillWaiting],
        }
      }
      const { receipt, writes } = approveReceipt(op, awaiting, body?.receiverCustomerInfo)
      return { status: 200, body: toTransactionView(receipt, receipt), writes: [...vote.writes, ...writes] }
    },
  },

  transaction_reject: async (op, { params, body }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const action = await findAgentAction(op, transaction)
    if (action) return toDecisionResponse(transaction, await rejectAction(op, action, body?.reason))
    const { receipt, writes } = rejectReceipt(op, requireAwaitingApproval(op, transaction), body ?? {})
    return { status: 200, body: toTransactionView(receipt, receipt), writes }
  },
}

/**
 * Builds the response to a decision about an agent's proposal, like the endpoints for actions (specification
 * 1.3).
 */
function toDecisionResponse(transaction: TransactionWithCustomer, decided: DecidedAction | undefined) {
  if (!decided) throw createNotAwaitingError(transaction)
  const { transaction: row, writes } = decided
  return { status: 200, body: toTransactionView(row, row), writes } as const
}

function requireAwaitingApproval(op: Op, transaction: TransactionWithCustomer): TransactionWithCustomer {
  if (!isAwaitingApproval(op, transaction)) throw createNotAwaitingError(transaction)
  return transaction
}

function createNotAwaitingError({ state }: TransactionWithCustomer): ApiError {
  return new ApiError('TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', {
    details: { field: 'transactionId', status: state },
  })
}
