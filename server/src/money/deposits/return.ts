import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Setback } from '../../kernel/ports/rail.ts'
import { endRefund } from '../../kernel/transactions/moves.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import {
  beginReturn,
  buildDepositRailLeg,
  buildReturnPayment,
  findReturnFault,
  moveDeposit,
  requireDeposit,
  toDepositCause,
} from '../rails/deposit-rows.ts'
import { submitOrPollPayment } from '../rails/rail-payments.ts'
import { settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { depositView } from './deposits.ts'

/**
 * Returns a deposit to its sender, or polls the outcome. The money stays in suspense or in refunds until the
 * rail reports its arrival. If the return fails, the deposit goes back to suspense for a decision.
 */
export const returnDeposit: JobHandler<'deposit.return'> = async (op, payload) => {
  const row = await requireDeposit(op, payload.depositId)
  const payment = row.transaction_id === null ? undefined : await findTransaction(op, row.transaction_id)
  if (row.state === 'REVERSED') return payment ? settleReversed(op, row, payment) : []
  if (row.state === 'PENDING' || row.state === 'FUNDED')
    return beginReturn(op, row, payment?.kind === 'QUOTE' ? 'PAYMENT_FAILED' : 'REJECTED').writes
  const refuse = ({ detail }: Setback) => failReturn(op, row, payment, detail)
  return settlePayment({
    stage: getStage(row),
    callRail: () => submitOrPollPayment(op, { ...buildReturnPayment(row), submittedAt: op.now }, payload),
    settle: () => recordArrival(op, row, payment),
    fail: refuse,
    bounce: refuse,
    reverse: refuse,
    schedulePoll: (at, asked) => job(op, 'deposit.return', { ...payload, ...asked }, at),
  })
}

function getStage({ state }: DepositRow): Stage {
  if (state === 'RETURNING') return 'OPEN'
  return state === 'RETURNED' ? 'SETTLED' : 'ENDED'
}

/** True if the money is in refunds because it paid a quote, not in suspense. */
function isRefund(payment: TransactionWithCustomer | undefined): payment is TransactionWithCustomer {
  return payment?.kind === 'QUOTE' && payment.refund?.status === 'PENDING'
}

function recordArrival(
  op: Op,
  row: DepositRow,
  payment: TransactionWithCustomer | undefined,
): readonly Write[] {
  const system = isRefund(payment) ? 'refunds' : 'suspense'
  const moved = moveDeposit(op, row, 'arrive_back')
  const { currency, amount } = row
  return [
    ...postMove(op, row, { system, currency, amount: -amount }, buildDepositRailLeg(row, amount)),
    moved.write,
    ...(isRefund(payment) ? endRefund(op, payment, 'complete') : []),
    event(op, 'DEPOSIT.RETURNED', row.id, depositView(moved.row)),
  ]
}

function failReturn(
  op: Op,
  row: DepositRow,
  payment: TransactionWithCustomer | undefined,
  note: string,
): readonly Write[] {
  const { currency, amount } = row
  const details = { ...row.details, note }
  const reason = findReturnFault(op, row) === undefined ? 'RETURN_FAILED' : 'RETURN_UNAVAILABLE'
  const moved = moveDeposit(op, row, 'refuse', { reason, details })
  const into = { system: 'suspense', currency, amount } as const
  const from = isRefund(payment)
    ? ({ system: 'refunds', currency, amount: -amount } as const)
    : buildDepositRailLeg(row, -amount)
  // Money in suspense has not moved if it was never sent.
  const isInSuspense = row.state === 'RETURNING' && !isRefund(payment)
  return [
    ...(isInSuspense ? [] : postMove(op, row, from, into)),
    moved.write,
    ...(isRefund(payment) ? endRefund(op, payment, 'fail') : []),
    event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(moved.row)),
  ]
}

/** Settles a quote's refund if the bank has reversed the deposit: the payer already has the money. */
function settleReversed(op: Op, row: DepositRow, payment: TransactionWithCustomer): readonly Write[] {
  if (!isRefund(payment)) return []
  const { currency, amount } = row
  return [
    ...postMove(
      op,
      row,
      { system: 'refunds', currency, amount: -amount },
      { system: 'receivables', currency, amount },
    ),
    ...endRefund(op, payment, 'complete'),
  ]
}

function postMove(op: Op, row: DepositRow, from: Leg, to: Leg): Write[] {
  return post(op, toDepositCause(row), [from, to])
}
