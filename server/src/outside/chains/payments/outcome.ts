import type { Hex } from '../../../base/formats/hex.ts'
import { addSeconds, type Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import type { PaymentEvidence } from '../../../money/evidence/evidence.ts'
import { applyOrHold } from '../../../money/rail-events/apply-or-hold.ts'
import { OUTCOME_OF } from '../../../money/rails/settlement-table.ts'
import { endMovement } from '../../../operation/treasury/movements.ts'
import { update, type Write } from '../../../storage/commit/writes.ts'
import type { ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { CHAIN_PAYMENT_TRANSITIONS } from '../../../storage/rows/states.ts'
import { type ConfirmedPosition, guardFollowedTo } from './confirmed.ts'

/** Ends payments and reports their outcome. */

const FAILURE = {
  code: 'QUOTE_EXECUTION_FAILED',
  message: 'The payment could not be made on the chain.',
} as const
const RETRY_SECONDS_MAX = 300

/**
 * Marks a payment in a confirmed block as paid; `note` is for the operator. Guards against it having ended
 * already.
 */
export async function markPaid(
  op: Op,
  payment: ChainPaymentRow,
  { hash, block }: { readonly hash: Hex; readonly block: bigint },
  note: string | null = null,
): Promise<Write[]> {
  const change = { transaction_hash: hash, block_number: block, note }
  const moved = transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'pay', change)
  return [moved.write, ...(await reportOutcome(op, payment, 'deliver', { transactionHash: hash }))]
}

/**
 * Fails a payment whose signatures can no longer take effect. Guards against it having ended already, and
 * against the chain having been followed further, because a later use of its nonce is a spend by the key's
 * owner.
 */
export async function markFailed(
  op: Op,
  payment: ChainPaymentRow,
  note: string,
  { cursor }: ConfirmedPosition,
): Promise<Write[]> {
  const moved = transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'fail', { note })
  return [
    ...(cursor ? [guardFollowedTo(cursor)] : []),
    moved.write,
    ...(await reportOutcome(op, payment, 'fail', { failure: FAILURE })),
  ]
}

/** Retries a payment in a new transaction, because its earlier one is final and had no effect. */
export function retryPayment(op: Op, payment: ChainPaymentRow, note: string): Write[] {
  const seconds = payment.attempts <= 1 ? 0 : Math.min(2 ** payment.attempts, RETRY_SECONDS_MAX)
  const change = { due_at: addSeconds(op.now, seconds), note }
  return [transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'retry', change).write]
}

/**
 * Postpones a payment that cannot be sent now. Guards against the payment having been sent or ended in the
 * meantime.
 */
export function postponePayment(op: Op, payment: ChainPaymentRow, note: string, seconds: number): Write[] {
  const change = { note, due_at: addSeconds(op.now, seconds), updated_at: op.now }
  return [update('chain_payments', payment.id, { state: payment.state }, change)]
}

/**
 * Reports the outcome of a payment; a sweep needs no report. If the outcome contradicts an earlier one, the
 * report is stored for a person to review. Guards against another report in the meantime.
 */
export async function reportOutcome(
  op: Op,
  { id, kind, rail, payment_id }: ChainPaymentRow,
  event: 'accept' | 'deliver' | 'fail',
  evidence: Pick<PaymentEvidence, 'transactionHash' | 'failure'>,
): Promise<readonly Write[]> {
  if (kind === 'SWEEP') return []
  if (kind === 'MOVE') return event === 'accept' ? [] : endMovement(op, payment_id, event, evidence)
  return applyOrHold(op, rail, {
    ...evidence,
    id: `${id} ${OUTCOME_OF[event]}`,
    source: 'CHAIN',
    kind: 'payment',
    account: null,
    event,
    subject: { direction: kind, id: payment_id },
    // The amount needs no check here: the proof of the transfer has compared it already.
    amount: null,
    currency: null,
    occurredAt: op.now.toISOString(),
  })
}
