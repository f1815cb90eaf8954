import type { cancellations } from '@countersign/contract/payments/cancellations'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { runRailSpan } from '../../kernel/operation/spans.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import {
  findTransaction,
  type TransactionWithCustomer,
  toTransactionView,
} from '../../kernel/transactions/transactions.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import type { ScreeningRow } from '../../storage/rows/screening.ts'
import { RAIL_PAYMENT_INITIAL, RAIL_PAYMENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { aboutPayment, findRailPayment, toRailFailure } from '../rails/rail-payments.ts'
import { EVENTS } from '../rails/settlement-table.ts'
import { schedulePayment } from '../screenings/screen-payment.ts'
import { decideScreening, findScreeningBySubject } from '../screenings/screenings.ts'
import { applyPaymentEvidence } from './apply-evidence.ts'

/**
 * A payment that is due within this time is canceled only through its rail, because another process may
 * already be submitting it.
 */
const AHEAD_SECONDS = 60
const FAILURE = { code: 'QUOTE_EXECUTION_FAILED', message: 'The platform has canceled the payment' } as const

export const cancellationHandlers: Handlers<typeof cancellations> = {
  transaction_cancel: async (op, { params }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const row = await findRailPayment(op, 'OUT', transaction.id)
    const screening = await findScreeningBySubject(op, 'PAY', transaction.id)
    if (screening?.state === SCREENING_INITIAL) return cancelScreenedPayment(op, transaction, screening, row)
    if (!row || nextState(RAIL_PAYMENT_TRANSITIONS, row.state, 'cancel') === null)
      throw new ApiError('INVALID_STATE_TRANSITION', {
        message: `This transaction cannot be canceled: it is ${transaction.state}.`,
        details: { status: transaction.state },
      })
    const body = toTransactionView(transaction, transaction)
    const isEarlyEnough = row.submit_at > addSeconds(op.now, AHEAD_SECONDS)
    if (row.state === RAIL_PAYMENT_INITIAL && isEarlyEnough)
      return {
        status: 200,
        body,
        writes: (await applyPaymentEvidence(op, row, 'cancel', { failure: FAILURE })).writes,
      }
    if (!op.rails.find(row.rail)?.cancel)
      throw new ApiError('CANCELLATION_NOT_SUPPORTED', {
        message: `The rail ${row.rail} does not support cancellation.`,
      })
    return {
      status: 200,
      body,
      writes: [job(op, 'rail-payment.cancel', { transactionId: transaction.id }, op.now)],
    }
  },
}

/**
 * Cancels a payment whose address is being screened, so that it can no longer be released. Guard: the
 * screening is undecided.
 */
async function cancelScreenedPayment(
  op: Op,
  transaction: TransactionWithCustomer,
  screening: ScreeningRow,
  row: RailPaymentRow | undefined,
) {
  const { writes } = decideScreening(op, screening, 'reject', FAILURE.message)
  // Without a payment record, the decision alone ends the payment.
  const endWrites = row
    ? (await applyPaymentEvidence(op, row, 'cancel', { failure: FAILURE })).writes
    : [await schedulePayment(op, transaction.id)]
  return {
    status: 200,
    body: toTransactionView(transaction, transaction),
    writes: [...writes, ...endWrites],
  } as const
}

/**
 * Asks the rail to cancel a payment, and applies the response like a report. Does nothing if the rail does
 * not know the outcome.
 */
export const cancelRailPayment: JobHandler<'rail-payment.cancel'> = async (op, payload) => {
  const row = await findRailPayment(op, 'OUT', payload.transactionId)
  if (!row || nextState(RAIL_PAYMENT_TRANSITIONS, row.state, 'cancel') === null) return []
  const rail = op.rails.find(row.rail)
  const reply =
    rail?.cancel && (await runRailSpan(op, rail, 'cancel', async () => rail.cancel?.(row.payment_id)))
  if (!reply) return []
  const answer = aboutPayment({ id: row.payment_id, submittedAt: row.submit_at, now: op.now }, reply)
  const paymentEvent = EVENTS[answer.outcome]
  if (paymentEvent === null || paymentEvent === 'accept') return []
  return (await applyPaymentEvidence(op, row, paymentEvent, { ...answer, failure: toRailFailure(answer) }))
    .writes
}
