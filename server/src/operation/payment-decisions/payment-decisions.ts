import { isKnownCurrency, type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { isObject } from '@countersign/contract/core/decode'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { SettledOutcome, transaction_decide } from '@countersign/contract/operation/payment-decisions'
import { SCREENING_INITIAL } from '@countersign/contract/states/screening-states'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { toActorView } from '../../kernel/audit/actors.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { Reversal } from '../../kernel/ports/reversals.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findRailEventById } from '../../money/rail-events/rail-events.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { findScreeningBySubject } from '../../money/screenings/screenings.ts'
import type {
  PaymentDecisionRow,
  RailEventRow,
  RailPaymentRow,
  SettledDecisionRow,
} from '../../storage/rows/rail.ts'
import { RAIL_EVENT_INITIAL } from '../../storage/rows/states.ts'
import { DECISION_EFFECTS, type DecisionEffect, findStanding } from './decision-table.ts'

export type DecisionBody = BodyOf<typeof transaction_decide>

/** The maximum time after a payment's due time during which a call to its rail may still be in progress. */
const SUBMISSION_SECONDS = 60

/**
 * Finds a payment that an operator may decide about. Throws 409 `PAYMENT_NOT_DECIDABLE` if the payment may
 * still be on its way to the rail, or if a chain determines its outcome; 409 `SCREENING_NOT_DECIDED`.
 */
export async function findDecidablePayment(
  op: Op,
  transaction: TransactionWithCustomer,
): Promise<RailPaymentRow> {
  const payment = await findRailPayment(op, 'OUT', transaction.id)
  if (!payment)
    throw createNotDecidableError('NOT_GIVEN', 'This transaction has no outgoing payment at a rail.')
  const screening = await findScreeningBySubject(op, 'PAY', transaction.id)
  if (screening?.state === SCREENING_INITIAL)
    throw new ApiError('SCREENING_NOT_DECIDED', { details: { screeningId: screening.id } })
  const rail = op.rails.find(payment.rail)
  if (rail?.chain)
    throw createNotDecidableError(
      'ON_CHAIN',
      'The chain determines the outcome of this payment. It cannot be decided manually.',
    )
  if (
    payment.state === 'GIVEN' &&
    (rail?.enqueue || payment.submit_at > addSeconds(op.now, -SUBMISSION_SECONDS))
  )
    throw createNotDecidableError(
      'NOT_SENT',
      'This payment may still be on its way to its rail. Wait until the rail has it, or cancel it.',
    )
  return payment
}

export function createNotDecidableError(reason: string, message: string): ApiError {
  return new ApiError('PAYMENT_NOT_DECIDABLE', { message, details: { reason } })
}

/**
 * The charge stated in a decision. Throws 400 or 409 if this decision or payment cannot have such a charge.
 */
export function readCharge({ outcome, charge }: DecisionBody, payment: RailPaymentRow): bigint {
  if (charge === undefined) return 0n
  if (outcome === 'FAILED')
    throw createFieldError(
      'INVALID_INPUT',
      'charge',
      'A failed payment never left, so it has no charge. Omit charge and book the amount as costs.',
    )
  if (charge.currency !== payment.currency)
    throw createFieldError(
      'INVALID_CURRENCY',
      'charge.currency',
      `The charge must be in ${payment.currency}, the currency of the payment.`,
    )
  if (charge.amount > payment.amount)
    throw createFieldError('AMOUNT_OUT_OF_RANGE', 'charge.amount', 'The charge must not exceed the payment.')
  return charge.amount
}

/**
 * The waiting report that the decision resolves. Throws 404 `RAIL_EVENT_NOT_FOUND`, 409 if it was resolved
 * already, 400 if it is not about this payment.
 */
export async function findReport(
  op: Op,
  payment: RailPaymentRow,
  id: string | undefined,
): Promise<RailEventRow | undefined> {
  if (id === undefined) return undefined
  const report = await findRailEventById(op, id)
  if (!report) throw new ApiError('RAIL_EVENT_NOT_FOUND', { details: { field: 'railEventId' } })
  const { rail, type, body } = report
  const isAbout =
    isObject(body.data) &&
    body.data.id === payment.payment_id &&
    (type.startsWith('payment.') || body.data.reversalId !== undefined)
  if (rail !== payment.rail || !isAbout)
    throw createFieldError('INVALID_INPUT', 'railEventId', 'This report is about another payment.')
  if (report.state !== RAIL_EVENT_INITIAL)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: 'This report was already resolved.',
      details: { field: 'railEventId', status: report.state },
    })
  return report
}

/**
 * The effect of a decision on the money. Throws 409 `INVALID_STATE_TRANSITION` if the payment has ended or
 * was decided, unless the decision resolves a waiting report.
 */
export function findEffect(
  outcome: SettledOutcome,
  payment: RailPaymentRow,
  last: SettledDecisionRow | undefined,
  report: RailEventRow | undefined,
): DecisionEffect {
  const standing = findStanding(payment, last)
  const effect = DECISION_EFFECTS[standing][outcome]
  const details = present({ status: payment.state, decisionId: last?.id })
  if (effect === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: 'This payment was delivered. If its money was returned, use the outcome RETURNED.',
      details: { ...details, field: 'outcome' },
    })
  const isFirst = effect === 'move' && last === undefined
  if (!isFirst && !report)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: last
        ? `This payment was already decided: ${last.outcome}. To decide again, name a report that contradicts it in railEventId.`
        : `This payment is already ${payment.state}. To decide about it, name a report that contradicts it in railEventId.`,
      details: { ...details, field: 'railEventId' },
    })
  return effect
}

/**
 * Throws 409 `PAYMENT_NOT_DECIDABLE` if money of an embedded wallet would be taken without a statement line
 * as evidence.
 */
export async function checkWallet(
  op: Op,
  { source_account_id: accountId }: TransactionWithCustomer,
  { effect, outcome, hasLines }: { effect: DecisionEffect; outcome: SettledOutcome; hasLines: boolean },
): Promise<void> {
  const takesMoney = effect === 'move' && outcome === 'DELIVERED'
  if (!takesMoney || hasLines || !accountId?.startsWith('InternalAccount:')) return
  const { type } = await findInternalAccount(op, accountId)
  if (type !== 'EMBEDDED_WALLET') return
  throw createNotDecidableError(
    'LINE_REQUIRED',
    'A payment from an embedded wallet can only be decided DELIVERED with a statement line that books it.',
  )
}

/** A decision in its API form, with the progress of its reversal. */
export function decisionView(row: PaymentDecisionRow, reversal?: Reversal) {
  const money = (amount: bigint) => ({ amount, currency: toCurrencyRecord(row.currency) })
  return {
    id: row.id,
    status: row.is_proposal ? ('PROPOSED' as const) : ('DECIDED' as const),
    transactionId: row.transaction_id,
    outcome: row.outcome,
    amount: money(row.amount),
    ...(row.charge === 0n ? {} : { charge: money(row.charge) }),
    reason: row.reason,
    evidence: present({
      note: row.note,
      statementEntryIds: row.statement_lines.length === 0 ? undefined : [...row.statement_lines],
      documentId: row.document_id,
    }),
    ...present({ railEventId: row.rail_event_id }),
    ...(reversal ? { reversal: { status: reversal.status, ...present({ failure: reversal.failure }) } } : {}),
    decidedBy: toActorView(row),
    createdAt: row.created_at.toISOString(),
  }
}

/** The currency of a payment at a rail. The database guarantees that it is known. */
export function requireCurrency({ currency }: RailPaymentRow): KnownCurrency {
  if (!isKnownCurrency(currency)) throw new Error(`a payment has the unknown currency ${currency}`)
  return currency
}
