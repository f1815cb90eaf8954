import type { cancellations } from '@countersign/contract/payments/cancellations'
import { RAIL_PAYMENT_INITIAL, RAIL_PAYMENT_TRANSITIONS } from '../db/schema/states.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { plusSeconds } from '../op/app.ts'
import { ApiError, type Handlers } from '../op/operation.ts'
import { nextState } from '../op/transition.ts'
import { findRailPayment } from '../rails/rail-payments.ts'
import { findTransaction, transactionView } from '../transactions/transactions.ts'
import { tell } from './apply.ts'

/** A payment that is given to its rail sooner than this is not cancelled here: another server may be giving it already. */
const AHEAD_SECONDS = 60
const FAILURE = { code: 'QUOTE_EXECUTION_FAILED', message: 'The platform has cancelled the payment' } as const

export const cancellationHandlers: Handlers<typeof cancellations> = {
  transaction_cancel: async (op, { params }) => {
    const transaction = await findTransaction(op, params.transactionId)
    const row = await findRailPayment(op, 'OUT', transaction.id)
    if (!row || nextState(RAIL_PAYMENT_TRANSITIONS, row.state, 'cancel') === null)
      throw new ApiError('INVALID_STATE_TRANSITION', {
        message: `This transaction cannot be cancelled: it is ${transaction.state}.`,
        details: { status: transaction.state },
      })
    const body = transactionView(transaction, transaction)
    const waits = row.submit_at > plusSeconds(op.now, AHEAD_SECONDS)
    if (row.state === RAIL_PAYMENT_INITIAL && waits)
      return { status: 200, body, writes: (await tell(op, row, 'cancel', { failure: FAILURE })).writes }
    if (!op.rails.find(row.rail)?.cancel)
      throw new ApiError('CONFLICT', { message: `The rail ${row.rail} cannot be asked to cancel a payment.` })
    return {
      status: 200,
      body,
      writes: [job(op, 'rail-payment.cancel', { transactionId: transaction.id }, op.now)],
    }
  },
}

/** Asks the rail to cancel a payment. Whatever it answers is kept like a report; where it does not know, nothing happens. */
export const cancelRailPayment: JobHandler<'rail-payment.cancel'> = async (op, payload) => {
  const row = await findRailPayment(op, 'OUT', payload.transactionId)
  if (!row || nextState(RAIL_PAYMENT_TRANSITIONS, row.state, 'cancel') === null) return []
  const answer = await op.rails.find(row.rail)?.cancel?.(row.payment_id)
  if (answer?.outcome === 'delivered') return (await tell(op, row, 'deliver', answer)).writes
  if (answer?.outcome !== 'failed' && answer?.outcome !== 'returned') return []
  const failure = { code: answer.failureReason, message: answer.detail }
  return (await tell(op, row, answer.outcome === 'failed' ? 'cancel' : 'return', { failure })).writes
}
