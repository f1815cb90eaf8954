import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { networkOf } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { RailAnswer } from '../../kernel/ports/rail.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { findScreeningOf, screen } from './screenings.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]

/** A chain payment about to be given to its rail. */
export interface ScreenedPayment {
  /** Its transaction. */
  readonly id: string
  /** The account type of its payee. */
  readonly chain: string
  readonly identifier: string
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
}

/** Decides if a payment may go to its rail. */
export interface Gate {
  /** Its outcome if it is held back; undefined if it may go. */
  readonly held?: Extract<RailAnswer, { outcome: 'accepted' | 'failed' }>
  /** True if a person has released it, maybe long after its rail was chosen. */
  readonly wasReleased: boolean
  /** Store the result of a first screening. Guard: no other run has stored one. */
  readonly writes: readonly Write[]
}

/** Does not mention lists, because the customer sees it. */
const REFUSED = {
  outcome: 'failed',
  failureReason: 'QUOTE_EXECUTION_FAILED',
  detail: 'A payment to this address cannot be made',
} as const

/** No time to ask again: a person's decision makes the payment due. */
const WAITS = { outcome: 'accepted' } as const

/**
 * Screens a payment to a chain before it goes to its rail; only the first call screens the address, later
 * ones use the stored result. `alreadySubmitted`: the payment was submitted before, so without a result, screening was not
 * configured then, and the payment proceeds. Error: 503 `UNAVAILABLE` if the address cannot be screened.
 */
export async function gateOf(op: Op, payment: ScreenedPayment, alreadySubmitted: boolean): Promise<Gate> {
  const { id: subject, chain, identifier: address, amount, currency } = payment
  const before = await findScreeningOf(op, 'PAY', subject)
  if (!before && alreadySubmitted) return { wasReleased: false, writes: [] }
  const network = networkOf(chain) ?? chain
  const wanted = { network, address, direction: 'PAY', amount, currency, subject } as const
  const { row, writes } = before ? { row: before, writes: [] } : await screen(op, wanted)
  const held = row?.state === SCREENING_INITIAL ? WAITS : row?.state === REJECTED ? REFUSED : undefined
  return { ...(held ? { held } : {}), wasReleased: row?.state === RELEASED, writes }
}

/** The work that a decision makes due: it reads the decision, and then gives the payment to its rail or fails it. */
export async function paymentGoesOn(op: Op, transactionId: string): Promise<Write> {
  const { kind } = await findTransaction(op, transactionId)
  const now = op.now.toISOString()
  return kind === 'QUOTE'
    ? job(op, 'transaction.settle', { transactionId, executedAt: now }, op.now)
    : job(op, 'transfer.settle', { transactionId, submittedAt: now }, op.now)
}
