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
  causeOf,
  depositOf,
  faultOfReturn,
  moveDeposit,
  railLeg,
  returnOf,
} from '../rails/deposit-rows.ts'
import { askRail } from '../rails/rail-payments.ts'
import { settlePayment } from '../rails/settle-payment.ts'
import type { Stage } from '../rails/settlement-table.ts'
import { depositView } from './deposits.ts'

/**
 * Sends a deposit back to its sender, or polls the outcome. It stays counted in suspense or among the refunds
 * until the rail reports its arrival. If it fails, it is in suspense again, for a person.
 */
export const returnDeposit: JobHandler<'deposit.return'> = async (op, payload) => {
  const row = await depositOf(op, payload.depositId)
  const payment = row.transaction_id === null ? undefined : await findTransaction(op, row.transaction_id)
  if (row.state === 'REVERSED') return payment ? settleReversed(op, row, payment) : []
  if (row.state === 'PENDING' || row.state === 'FUNDED')
    return beginReturn(op, row, payment?.kind === 'QUOTE' ? 'PAYMENT_FAILED' : 'REJECTED').writes
  const refuse = ({ detail }: Setback) => failReturn(op, row, payment, detail)
  return settlePayment({
    stage: stageOf(row),
    ask: () => askRail(op, { ...returnOf(row), submittedAt: op.now }, payload),
    settle: () => recordArrival(op, row, payment),
    fail: refuse,
    bounce: refuse,
    reverse: refuse,
    askAgain: (at, asked) => job(op, 'deposit.return', { ...payload, ...asked }, at),
  })
}

function stageOf({ state }: DepositRow): Stage {
  if (state === 'RETURNING') return 'OPEN'
  return state === 'RETURNED' ? 'SETTLED' : 'ENDED'
}

/** True if its money is among the refunds of a quote, and not in suspense. */
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
    ...move(op, row, { system, currency, amount: -amount }, railLeg(row, amount)),
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
  const reason = faultOfReturn(op, row) === undefined ? 'RETURN_FAILED' : 'RETURN_UNAVAILABLE'
  const moved = moveDeposit(op, row, 'refuse', { reason, details })
  const into = { system: 'suspense', currency, amount } as const
  const from = isRefund(payment)
    ? ({ system: 'refunds', currency, amount: -amount } as const)
    : railLeg(row, -amount)
  // Money in suspense that never left stays there.
  const isThere = row.state === 'RETURNING' && !isRefund(payment)
  return [
    ...(isThere ? [] : move(op, row, from, into)),
    moved.write,
    ...(isRefund(payment) ? endRefund(op, payment, 'fail') : []),
    event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(moved.row)),
  ]
}

/** A deposit that its bank has taken back covers the refund of the quote that it had paid. */
function settleReversed(op: Op, row: DepositRow, payment: TransactionWithCustomer): readonly Write[] {
  if (!isRefund(payment)) return []
  const { currency, amount } = row
  return [
    ...move(
      op,
      row,
      { system: 'refunds', currency, amount: -amount },
      { system: 'receivables', currency, amount },
    ),
    ...endRefund(op, payment, 'complete'),
  ]
}

function move(op: Op, row: DepositRow, from: Leg, to: Leg): Write[] {
  return post(op, causeOf(row), [from, to])
}
