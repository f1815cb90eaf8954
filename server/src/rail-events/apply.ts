import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { Write } from '../db/commit/writes.ts'
import type { RailPaymentRow } from '../db/schema/rail-tables.ts'
import type { RailPaymentEvent, RailPaymentState } from '../db/schema/states.ts'
import { receiveDeposit } from '../deposits/deposits.ts'
import { reverseDeposit } from '../deposits/reverse.ts'
import { job } from '../jobs/jobs.ts'
import type { Op } from '../op/app.ts'
import { findQuote } from '../quotes/quotes.ts'
import { findDepositRow } from '../rails/deposit-rows.ts'
import { depositId } from '../rails/ids.ts'
import { findRailPayment, isNews, movedRailPayment, type Told } from '../rails/rail-payments.ts'
import { findTransaction } from '../transactions/transactions.ts'

/** What a report does; with a reason, it does nothing and waits for a person. */
export interface Applied {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
}

const NOTHING: Applied = { writes: [] }

/** A report of what rails carry. */
export type Report = Exclude<ConnectorEvent, { type: 'statement' }>
type PaymentReport = Exclude<Report, { type: `deposit.${string}` }>

/**
 * The one door for what rails report unasked, in whatever way: nothing is lost, and what is known already changes nothing. The
 * caller records the report. Guards of the writes: nothing else was reported meanwhile.
 */
export async function applyReport(op: Op, rail: string, report: Report): Promise<Applied> {
  switch (report.type) {
    case 'deposit.received': {
      const writes = await receiveDeposit(op, rail, report.data)
      return writes ? { writes } : { writes: [], reason: 'UNREADABLE' }
    }
    case 'deposit.reversed': {
      const id = depositId(rail, report.data.depositId)
      const row = await findDepositRow(op, id)
      if (!row) return { writes: [], reason: 'UNKNOWN_DEPOSIT' }
      const reversal = await reverseDeposit(op, row, report.data.failure.message)
      return reversal ? { writes: reversal.writes } : { writes: [], reason: 'CONTRADICTION' }
    }
    default:
      return applyToPayment(op, rail, report)
  }
}

const EVENTS = {
  accepted: 'accept',
  delivered: 'deliver',
  cancelled: 'cancel',
  failed: 'fail',
  returned: 'return',
} as const satisfies Record<string, RailPaymentEvent>

async function applyToPayment(op: Op, rail: string, report: PaymentReport): Promise<Applied> {
  const [kind, word] = report.type.split('.') as ['payment' | 'pull', keyof typeof EVENTS]
  const row = await findRailPayment(op, kind === 'payment' ? 'OUT' : 'PULL', report.data.id)
  if (row?.rail !== rail) return { writes: [], reason: 'UNKNOWN_PAYMENT' }
  return tell(op, row, EVENTS[word], report.data)
}

/** What a rail says of a payment of ours. */
export async function tell(op: Op, row: RailPaymentRow, by: RailPaymentEvent, told: Told): Promise<Applied> {
  if (!isNews(row.state, by))
    return contradicts(row.state, by) ? { writes: [], reason: 'CONTRADICTION' } : NOTHING
  const moved = movedRailPayment(op, row, by, told)
  return { writes: [moved.write, ...(by === 'accept' ? [] : await goesOn(op, moved.row))] }
}

/**
 * Whether a report says otherwise than what has ended: the money was given back or paid out by that. Every other report
 * that is no news is only late.
 */
function contradicts(state: RailPaymentState, by: RailPaymentEvent): boolean {
  if (state === 'DELIVERED') return by === 'fail' || by === 'cancel'
  return (state === 'FAILED' || state === 'CANCELLED') && (by === 'deliver' || by === 'return')
}

/** The work that a report makes due: it reads the outcome from the record. */
async function goesOn(op: Op, given: RailPaymentRow): Promise<Write[]> {
  const { payment_id: id, direction, submit_at } = given
  const isAsked = true
  if (id.startsWith('Deposit:')) return [job(op, 'deposit.return', { depositId: id, isAsked }, op.now)]
  if (id.startsWith('Quote:')) {
    const { transaction_id: transactionId } = await findQuote(op, id)
    return [job(op, 'transaction.refund', { transactionId, isAsked }, op.now)]
  }
  const transaction = await findTransaction(op, id)
  if (transaction.kind !== 'QUOTE')
    return [job(op, 'transfer.settle', { transactionId: id, isAsked }, op.now, { transaction, given })]
  const executedAt = submit_at.toISOString()
  const name = direction === 'PULL' ? 'transaction.pull' : 'transaction.settle'
  return [job(op, name, { transactionId: id, executedAt, isAsked }, op.now)]
}
