import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { RequestedReversal } from '../../kernel/ports/reversals.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findRailPayment, findRailPaymentById } from '../../money/rails/rail-payments.ts'
import type { PaymentDecisionRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { type CheckedEvidence, checkEvidence } from './evidence.ts'
import { type DecisionBody, decisionView, notDecidable } from './payment-decisions.ts'
import { selectReversal } from './store.ts'

/** The place of a payment's one reversal, apart from the decisions about its outcome. */
export const REVERSAL_PLACE = 0

/** A reversal that can be requested. */
interface CheckedReversal {
  readonly payment: RailPaymentRow
  readonly evidence: CheckedEvidence
  /** Gives the request to the rail. Guard: it is the first for the payment. */
  readonly request: RequestedReversal
}

/**
 * A reversal of a transaction's payment, or else of its pull. Errors: 400 `INVALID_INPUT` for fields that a
 * reversal does not have, 409 `PAYMENT_NOT_DECIDABLE` if the rail cannot ask for it, 409
 * `INVALID_STATE_TRANSITION` if the payment is final or was already reversed.
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
    throw notDecidable(
      'NOT_REVERSIBLE',
      'The rail of this payment cannot ask for it back: only ACH files can.',
    )
  if ('fault' in request) throw notDecidable('NOT_REVERSIBLE', request.fault)
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
    if (value !== undefined) throw fieldError('INVALID_INPUT', field, `A reversal has no ${field}`)
}

/** A payment that its rail has, or that counts as delivered. */
async function sentPayment(op: Op, transaction: TransactionWithCustomer): Promise<RailPaymentRow> {
  const { id } = transaction
  const payment = (await findRailPayment(op, 'OUT', id)) ?? (await findRailPayment(op, 'PULL', id))
  if (!payment) throw notDecidable('NOT_GIVEN', 'No rail was given a payment of this transaction.')
  const { state, direction } = payment
  if (state === 'GIVEN')
    throw notDecidable(
      'NOT_SENT',
      'This payment is not in an accepted file yet. Wait until it is, or cancel it.',
    )
  if (state !== 'ACCEPTED' && state !== 'DELIVERED')
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `This payment has ended: it is ${state}. There is nothing to reverse.`,
      details: { status: state },
    })
  const earlier = await selectReversal(op, payment.id)
  if (earlier)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: 'This payment has a reversal already, and no payment has two.',
      details: { status: state, decisionId: earlier.id },
    })
  if (direction === 'PULL') await checkPayee(op, transaction)
  return payment
}

/**
 * Error: 409 `PAYMENT_NOT_DECIDABLE` if an embedded wallet's money would leave without its holder's
 * signature.
 */
async function checkPayee(op: Op, { destination_account_id: id }: TransactionWithCustomer): Promise<void> {
  if (!id?.startsWith('InternalAccount:')) return
  const { type } = await findInternalAccount(op, id)
  if (type === 'EMBEDDED_WALLET')
    throw notDecidable(
      'NOT_REVERSIBLE',
      'The money of this pull is in an embedded wallet: only its holder can send it back.',
    )
}

/** Decisions as the API shows them, with the progress of each reversal. */
export function decisionViews(op: Op, rows: readonly PaymentDecisionRow[]) {
  return Promise.all(
    rows.map(async (row) => {
      if (row.outcome !== 'REVERSAL' || row.is_proposal) return decisionView(row)
      const payment = await findRailPaymentById(op, row.rail_payment_id)
      const rail = payment && op.rails.find(payment.rail)
      return decisionView(row, payment && (await rail?.reversals?.find(op.read, payment)))
    }),
  )
}
