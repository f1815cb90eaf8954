import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { RequestedReversal, Reversal } from '../../kernel/ports/reversals.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { PaymentDecisionRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { type CheckedEvidence, checkEvidence } from './evidence.ts'
import { createNotDecidableError, type DecisionBody, decisionView } from './payment-decisions.ts'

/** A reversal that can be requested. */
interface CheckedReversal {
  readonly payment: RailPaymentRow
  readonly evidence: CheckedEvidence
  /** Submits the request to the rail. Guard: no other request was queued in the meantime. */
  readonly request: RequestedReversal
}

/**
 * Checks the reversal of a transaction's payment. Errors: 400 `INVALID_INPUT` for fields that a reversal must
 * not have, 409 `PAYMENT_NOT_DECIDABLE` if it cannot be requested now, 409 `INVALID_STATE_TRANSITION` if the
 * payment has ended.
 */
export async function checkReversal(
  op: Op,
  transaction: TransactionWithCustomer,
  body: DecisionBody,
): Promise<CheckedReversal> {
  checkFields(body)
  const payment = await sentPayment(op, transaction)
  const request = await op.rails.find(payment.rail)?.reversals?.request(op.read, payment, op.now)
  if (!request)
    throw createNotDecidableError(
      'NOT_REVERSIBLE',
      'The rail of this payment does not support reversals. Only ACH files do.',
    )
  if ('fault' in request) throw createNotDecidableError(request.fault, request.message)
  const claimed = { transaction, payment, outcome: 'REVERSAL', charge: 0n, reason: body.reason } as const
  return { payment, evidence: await checkEvidence(op, claimed, body.evidence), request }
}

function checkFields({ charge, railEventId, evidence }: DecisionBody): void {
  const fields = {
    charge,
    railEventId,
    'evidence.statementEntryIds': evidence.statementEntryIds,
  }
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined)
      throw createFieldError('INVALID_INPUT', field, `A reversal must not have ${field}.`)
}

/** Finds an outgoing payment that its rail has accepted or delivered. */
async function sentPayment(op: Op, { id }: TransactionWithCustomer): Promise<RailPaymentRow> {
  const payment = await findRailPayment(op, 'OUT', id)
  if (!payment)
    throw (await findRailPayment(op, 'PULL', id))
      ? createNotDecidableError(
          'NOT_REVERSIBLE',
          'This payment is a pull. Only outgoing payments can be reversed. Send the money back instead.',
        )
      : createNotDecidableError('NOT_GIVEN', 'This transaction has no outgoing payment at a rail.')
  const { state } = payment
  if (state === 'GIVEN')
    throw createNotDecidableError(
      'NOT_SENT',
      'This payment is not in an accepted file yet. Wait until it is, or cancel it.',
    )
  if (state === 'ACCEPTED' || state === 'DELIVERED') return payment
  throw new ApiError('INVALID_STATE_TRANSITION', {
    message: `This payment is already ${state}, so it cannot be reversed.`,
    details: { status: state },
  })
}

/** Withdraws a reversal that still waits for a file, because its payment was decided. */
export async function withdrawReversal(op: Op, payment: RailPaymentRow): Promise<readonly Write[]> {
  return (await op.rails.find(payment.rail)?.reversals?.withdraw(op.read, payment, op.now)) ?? []
}

/** Decisions in their API form, with the progress of each reversal. */
export function toPaymentDecisionViews(op: Op, rows: readonly PaymentDecisionRow[]) {
  return Promise.all(rows.map(async (row) => decisionView(row, await findReversal(op, row))))
}

async function findReversal(op: Op, row: PaymentDecisionRow): Promise<Reversal | undefined> {
  if (row.outcome !== 'REVERSAL' || row.is_proposal) return undefined
  const payment = await findRailPayment(op, 'OUT', row.transaction_id)
  const reversals = payment && (await op.rails.find(payment.rail)?.reversals?.list(op.read, payment))
  return reversals?.find(({ number }) => number === row.place)
}
