import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/core/screening-states'
import type { Write } from '../db/commit/writes.ts'
import { job } from '../jobs/jobs.ts'
import type { Op } from '../op/app.ts'
import type { RailAnswer } from '../ports/rail.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { findScreeningOf, screen } from './screenings.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]

/** A payment to a chain that is about to be given to its rail. */
export interface ScreenedPayment {
  /** Its transaction. */
  readonly id: string
  readonly chain: string
  readonly identifier: string
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
}

/** Whether a payment may go to its rail. */
export interface Gate {
  /** What becomes of it instead of going to its rail; undefined where it may go. */
  readonly held?: Extract<RailAnswer, { outcome: 'accepted' | 'failed' }>
  /** Whether a person has let it go, maybe long after its rail was chosen. */
  readonly wasReleased: boolean
  /** Keep the answer of a first asking. Guard: no other run has kept one. */
  readonly writes: readonly Write[]
}

/** Says nothing of lists: the customer sees it. */
const REFUSED = {
  outcome: 'failed',
  failureReason: 'QUOTE_EXECUTION_FAILED',
  detail: 'A payment to this address cannot be made',
} as const

/** No time to ask again: a person's decision makes the payment due. */
const WAITS = { outcome: 'accepted' } as const

/**
 * Whether a payment to a chain may go to its rail: where it was not asked about yet, it is now. One that its rail was asked
 * about before (`isAsked`) without a screening was given to it before there was any, and goes on.
 * Error: 503 `UNAVAILABLE` where nobody can say.
 */
export async function gateOf(op: Op, payment: ScreenedPayment, isAsked: boolean): Promise<Gate> {
  const { id: subject, chain, identifier: address, amount, currency } = payment
  const before = await findScreeningOf(op, 'PAY', subject)
  if (!before && isAsked) return { wasReleased: false, writes: [] }
  const wanted = { network: networkOf(chain), address, direction: 'PAY', amount, currency, subject } as const
  const { row, writes } = before ? { row: before, writes: [] } : await screen(op, wanted)
  const held = row?.state === SCREENING_INITIAL ? WAITS : row?.state === REJECTED ? REFUSED : undefined
  return { ...(held ? { held } : {}), wasReleased: row?.state === RELEASED, writes }
}

/** The network of an account type on a chain: `BASE_WALLET` is on `BASE`. */
export function networkOf(accountType: string): string {
  return accountType.replace(/_WALLET$/, '')
}

/** The work that a decision makes due: it reads the decision, and then gives the payment to its rail or fails it. */
export async function paymentGoesOn(op: Op, transactionId: string): Promise<Write> {
  const { kind } = await findTransaction(op, transactionId)
  const now = op.now.toISOString()
  return kind === 'QUOTE'
    ? job(op, 'transaction.settle', { transactionId, executedAt: now }, op.now)
    : job(op, 'transfer.settle', { transactionId, submittedAt: now }, op.now)
}
