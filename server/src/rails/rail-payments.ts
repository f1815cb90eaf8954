import { insert, type Write } from '../db/commit/writes.ts'
import type { AccountDetails } from '../db/schema/documents.ts'
import type { JobKnowledge } from '../db/schema/job-tables.ts'
import type { RailPaymentRow } from '../db/schema/rail-tables.ts'
import {
  RAIL_PAYMENT_INITIAL,
  RAIL_PAYMENT_TRANSITIONS,
  type RailPaymentEvent,
  type RailPaymentState,
} from '../db/schema/states.ts'
import { findExternalAccountEver } from '../external-accounts/external-accounts.ts'
import type { Op } from '../op/app.ts'
import { askingRail } from '../op/spans.ts'
import { transition } from '../op/transition.ts'
import type { Rail, RailAnswer, RailPayment, SignedChainPayment } from '../ports/rail.ts'
import { type Gate, gateOf } from '../screenings/payments.ts'
import { depositId, railPaymentId } from './ids.ts'
import { selectDeposit, selectRailPayment } from './store.ts'

/** A payment that a rail is to carry, without what the rail's own record knows. */
export type Carried = Omit<RailPayment, 'account' | 'isAsked' | 'now'> & {
  /** The name of the rail; null in the sandbox. */
  readonly rail: string | null
  readonly direction: 'OUT' | 'PULL'
  /** The external account at the other end, whose details the rail gets. */
  readonly accountId: string | null
  /** What the key of the paying wallet signs, where it is on a chain. Asked for when the rail takes the payment. */
  readonly sign?: (() => Promise<SignedChainPayment>) | undefined
}

/**
 * The record of a payment that begins: it has its rail from now on. Comes in the write set that makes the payment's work
 * due. None where the rail keeps no records. Guard: this payment has none yet.
 */
export function givenToRail(op: Op, payment: Omit<Carried, 'submittedAt'>, submitAt: Date): Write[] {
  const row = newRailPayment(op, payment, submitAt)
  return row ? [insert('rail_payments', row)] : []
}

/** The row of that record; undefined where the rail keeps none. */
export function newRailPayment(
  op: Op,
  { rail, direction, id, amount, currency, reference }: Omit<Carried, 'submittedAt'>,
  submitAt: Date,
): RailPaymentRow | undefined {
  if (rail === null || op.rails.find(rail)?.isRecorded === false) return undefined
  return {
    id: railPaymentId(direction, id),
    platform_id: op.platform.id,
    rail,
    direction,
    payment_id: id,
    amount,
    currency,
    state: RAIL_PAYMENT_INITIAL,
    reference,
    rail_reference: null,
    transaction_hash: null,
    failure: null,
    submit_at: submitAt,
    delivered_at: null,
    returned_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** The record of a payment, by its direction and its name at the rail, if there is one. */
export async function findRailPayment(
  op: Op,
  direction: 'OUT' | 'PULL',
  paymentId: string,
): Promise<RailPaymentRow | undefined> {
  return selectRailPayment(op, railPaymentId(direction, paymentId))
}

/** What a rail says of a payment, and the writes that keep it. Guard of the writes: nothing else was said meanwhile. */
export interface Said {
  readonly answer: RailAnswer
  readonly writes: readonly Write[]
}

/** Records of a payment that the caller has: `given` at its rail, and the details of the `other` account. */
type Known = Pick<JobKnowledge['transfer.settle'] & object, 'given' | 'other'>

/**
 * Gives a payment to its rail, or asks for its outcome. Where that is known already, the rail is not called, nor where a
 * payment to a chain may not go: it waits for a person, or has failed. Throws where the rail is not in the file any more, and
 * where nobody can say of the address: the payment waits.
 */
export async function askRail(
  op: Op,
  carried: Carried,
  isAsked: boolean,
  { given, other }: Known = {},
): Promise<Said> {
  const { rail: name, direction, accountId, sign, ...payment } = carried
  const rail = op.rails.find(name)
  if (!rail) throw new Error(`The rail ${name} is not in RAILS_FILE: its payments wait for it`)
  const call = (asked: RailPayment) =>
    direction === 'OUT'
      ? askingRail(op, rail, 'send', () => rail.send(asked))
      : askingRail(op, rail, 'pull', () => rail.pull(asked))
  if (!rail.isRecorded) {
    const { held, writes } = await mayGo(op, carried, isAsked)
    return { answer: held ?? (await call({ ...payment, isAsked, now: op.now })), writes }
  }
  const row = given ?? (await findRailPayment(op, direction, payment.id))
  if (!row) throw new Error(`${payment.id} was never given to the rail ${name}`)
  const known = answerOf(row)
  if (known) return { answer: known, writes: [] }
  const gate = row.state === RAIL_PAYMENT_INITIAL ? await mayGo(op, carried, isAsked) : OPEN
  const stop = stopsAt(op, rail, row, gate, isAsked)
  if (stop) return stop
  if (op.now < row.submit_at) return { answer: later(row.submit_at), writes: gate.writes }
  const account = other ?? (accountId === null ? undefined : await detailsOf(op, accountId))
  const submittedAt = row.submit_at
  const asking = { ...payment, account, isAsked, submittedAt, now: op.now }
  if (rail.enqueue) {
    const queued = await enqueued(op, row, asking, sign, (given) => rail.enqueue!(given))
    return { ...queued, writes: [...gate.writes, ...queued.writes] }
  }
  const answer = await call(asking)
  return { answer, writes: kept(op, row, answer) }
}

const OPEN: Gate = { wasReleased: false, writes: [] }

/** Whether a payment may go: one to an address on a chain has to be on no list, or to be released by a person. */
async function mayGo(
  op: Op,
  { direction, id, chain, identifier, amount, currency }: Carried,
  isAsked: boolean,
) {
  if (direction !== 'OUT' || chain === null || identifier === null) return OPEN
  return gateOf(op, { id, chain, identifier, amount, currency }, isAsked)
}

/** What becomes of a payment that does not go to its rail now; undefined where it goes. */
function stopsAt(
  op: Op,
  rail: Rail,
  row: RailPaymentRow,
  { held, wasReleased, writes }: Gate,
  isAsked: boolean,
): Said | undefined {
  if (held?.outcome === 'failed') return { answer: held, writes: [...writes, ...kept(op, row, held)] }
  if (held) return { answer: held, writes }
  // A call cannot be taken back, so the answer that allows it is kept first.
  if (writes.length > 0 && !rail.enqueue) return { answer: later(op.now), writes }
  const opensAt = wasReleased && !isAsked ? rail.opensAt(op.now) : op.now
  return opensAt > op.now ? { answer: later(opensAt), writes } : undefined
}

function later(askAgainAt: Date): RailAnswer {
  return { outcome: 'accepted', askAgainAt }
}

/** Puts a payment into the rail's queue, once: its record stays as it is until the rail has it. */
async function enqueued(
  op: Op,
  row: RailPaymentRow,
  payment: RailPayment,
  sign: Carried['sign'],
  enqueue: NonNullable<Rail['enqueue']>,
): Promise<Said> {
  const { returnOf } = payment
  const deposit = returnOf === undefined ? undefined : await selectDeposit(op, depositId(row.rail, returnOf))
  const sender = deposit?.details.sender
  const { id: recordId, platform_id: platformId, direction } = row
  const said = enqueue({ ...payment, recordId, platformId, direction, sender, signed: await sign?.() })
  return said.outcome === 'queued'
    ? { answer: { outcome: 'accepted' }, writes: said.writes }
    : { answer: said, writes: kept(op, row, said) }
}

/**
 * Fails a payment that cannot be given to its rail after all; one that the rail is known to have is asked about instead. Guard
 * of the writes: the rail has not said anything meanwhile.
 */
export async function notGiven(
  op: Op,
  carried: Carried,
  answer: Extract<RailAnswer, { outcome: 'failed' }>,
): Promise<Said> {
  if (carried.rail === null) return { answer, writes: [] }
  const row = await findRailPayment(op, carried.direction, carried.id)
  if (row?.state !== RAIL_PAYMENT_INITIAL) return askRail(op, carried, true)
  return { answer, writes: kept(op, row, answer) }
}

async function detailsOf(op: Op, accountId: string): Promise<AccountDetails | undefined> {
  return (await findExternalAccountEver(op, accountId))?.account_info
}

/** How a payment ended, by its record; undefined where the rail has to say it still. */
function answerOf({ state, failure, transaction_hash }: RailPaymentRow): RailAnswer | undefined {
  if (state === 'GIVEN' || state === 'ACCEPTED') return undefined
  if (state === 'DELIVERED')
    return {
      outcome: 'delivered',
      ...(transaction_hash === null ? {} : { transactionHash: transaction_hash }),
    }
  const reason = {
    failureReason: (failure?.code ?? 'QUOTE_EXECUTION_FAILED') as 'QUOTE_EXECUTION_FAILED',
    detail: failure?.message ?? 'The payment was cancelled',
  }
  if (state === 'RETURNED') return { outcome: 'returned', ...reason, reason: 'TRANSACTION_FAILED' }
  return { outcome: 'failed', ...reason }
}

const EVENTS = { accepted: 'accept', delivered: 'deliver', failed: 'fail', returned: 'return' } as const

function kept(op: Op, row: RailPaymentRow, answer: RailAnswer): Write[] {
  if (answer.outcome === 'unknown') {
    op.log.warn({ payment: row.payment_id, rail: row.rail, why: answer.why }, 'a payment is unknown')
    return []
  }
  const by = EVENTS[answer.outcome]
  if (by === 'accept' && row.state === 'ACCEPTED') return []
  const failure =
    'failureReason' in answer ? { code: answer.failureReason, message: answer.detail } : undefined
  return [movedRailPayment(op, row, by, { ...answer, failure }).write]
}

/** What a rail tells beside the state. */
export interface Told {
  readonly connectorReference?: string | undefined
  readonly transactionHash?: string | undefined
  readonly failure?: { readonly code: string; readonly message: string } | undefined
}

/** Whether a report is news: a later one may have come before it. */
export function isNews(state: RailPaymentState, by: RailPaymentEvent): boolean {
  return RAIL_PAYMENT_TRANSITIONS[state][by] !== null
}

/** Moves the record of a payment on. Guard: its state has not changed meanwhile. */
export function movedRailPayment(
  op: Op,
  row: RailPaymentRow,
  by: RailPaymentEvent,
  told: Told,
): { readonly row: RailPaymentRow; readonly write: Write } {
  return transition(op, 'rail_payments', RAIL_PAYMENT_TRANSITIONS, row, by, {
    ...(told.connectorReference === undefined ? {} : { rail_reference: told.connectorReference }),
    ...(told.transactionHash === undefined ? {} : { transaction_hash: told.transactionHash }),
    ...(told.failure === undefined ? {} : { failure: told.failure }),
    ...(by === 'deliver' ? { delivered_at: op.now } : {}),
    ...(by === 'return' ? { returned_at: op.now } : {}),
  })
}
