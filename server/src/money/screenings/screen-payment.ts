import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { toNetwork } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { RailResult } from '../../kernel/ports/rail.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { findScreeningBySubject, screen } from './screenings.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]

/** A chain payment about to be submitted to its rail. */
export interface ScreenedPayment {
  /** The id of its transaction. */
  readonly id: string
  /** The account type of the payee. */
  readonly chain: string
  readonly identifier: string
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
}

/** Decides if a payment may go to its rail. */
export interface Gate {
  /** The outcome of a payment that is held back; undefined if it may proceed. */
  readonly held?: Extract<RailResult, { outcome: 'accepted' | 'failed' }>
  /** True if a person released the payment, possibly long after its rail was chosen. */
  readonly wasReleased: boolean
  /** Stores the result of a first screening. Guard: no other run has stored one. */
  readonly writes: readonly Write[]
}

/** The message does not mention sanctions lists, because the customer sees it. */
const REFUSED = {
  outcome: 'failed',
  failureReason: 'QUOTE_EXECUTION_FAILED',
  detail: 'Payments to this address are not possible',
} as const

/** Has no time for the next poll, because a person's decision schedules the payment. */
const WAITS = { outcome: 'accepted' } as const

/**
 * Screens a chain payment before it is submitted. Only the first call screens the address; later ones use the
 * stored result. A payment with `alreadySubmitted` but no result was submitted before screening was
 * configured, and proceeds; error: 503 `UNAVAILABLE` if the address cannot be screened.
 */
export async function screenPayment(
  op: Op,
  payment: ScreenedPayment,
  alreadySubmitted: boolean,
): Promise<Gate> {
  const { id: subject, chain, identifier: address, amount, currency } = payment
  const existing = await findScreeningBySubject(op, 'PAY', subject)
  if (!existing && alreadySubmitted) return { wasReleased: false, writes: [] }
  const network = toNetwork(chain) ?? chain
  const request = { network, address, direction: 'PAY', amount, currency, subject } as const
  const { row, writes } = existing ? { row: existing, writes: [] } : await screen(op, request)
  const held = row?.state === SCREENING_INITIAL ? WAITS : row?.state === REJECTED ? REFUSED : undefined
  return { ...(held ? { held } : {}), wasReleased: row?.state === RELEASED, writes }
}

/**
 * The job that continues a payment after a decision: it reads the decision, and then submits or fails the
 * payment.
 */
export async function schedulePayment(op: Op, transactionId: string): Promise<Write> {
  const { kind } = await findTransaction(op, transactionId)
  const now = op.now.toISOString()
  return kind === 'QUOTE'
    ? job(op, 'transaction.settle', { transactionId, executedAt: now }, op.now)
    : job(op, 'transfer.settle', { transactionId, submittedAt: now }, op.now)
}
