import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { askingRail } from '../../kernel/operation/spans.ts'
import { transition } from '../../kernel/operation/transition.ts'
import {
  PAYMENT_FAILURES,
  type PaymentFailure,
  type Rail,
  type RailAnswer,
  type RailPayment,
  type RailReply,
  SANDBOX_RAIL,
  type SignedChainPayment,
} from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { AskedOfRail } from '../../storage/rows/job.ts'
import type { RailFailure, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import {
  RAIL_PAYMENT_INITIAL,
  RAIL_PAYMENT_TRANSITIONS,
  type RailPaymentEvent,
  type RailPaymentState,
} from '../../storage/rows/states.ts'
import { accountAsOf } from '../external-accounts/account-changes.ts'
import { findExternalAccountEver } from '../external-accounts/external-accounts.ts'
import { type Gate, gateOf } from '../screenings/screen-payment.ts'
import { askAgainAt } from './ask-again.ts'
import { beginCollection, type Collection } from './collections.ts'
import { depositId, railPaymentId } from './rail-ids.ts'
import { EVENTS, RECORD_EFFECTS } from './settlement-table.ts'
import { selectDeposit, selectLastDecision, selectRailPayment } from './store.ts'

/** A payment for a rail, without the data of the rail's own record. */
export type PaymentOrder = Omit<RailPayment, 'account' | 'mandate' | 'alreadySubmitted' | 'now'> & {
  /** The name of the rail; null in the sandbox. */
  readonly rail: string | null
  readonly direction: 'OUT' | 'PULL'
  /** The external account at the other end, whose details the rail gets. */
  readonly accountId: string | null
  /** A pull's mandate, if its rail needs one. */
  readonly mandateId?: string | undefined
  /** The time whose details of that account count. Default: when the rail's record was made. */
  readonly madeAt?: Date
  /** Signs with the key of the paying wallet, if it is on a chain. Called when the rail takes the payment. */
  readonly sign?: (() => Promise<SignedChainPayment>) | undefined
}

/**
 * The record of a payment that begins, with its final rail, for the write set that makes the payment's work
 * due. Empty for a simulated rail, whose records are written with its replies. Guard: this payment has no
 * record yet.
 */
export function giveToRail(op: Op, payment: Omit<PaymentOrder, 'submittedAt'>, submitAt: Date): Write[] {
  if (!op.rails.find(payment.rail)?.isSimulated)
    return [insert('rail_payments', railPaymentRow(op, payment, submitAt))]
  op.known.addAbsent('rail_payments', railPaymentId(payment.direction, payment.id))
  return []
}

function railPaymentRow(
  op: Op,
  { rail, direction, id, amount, currency, reference }: Omit<PaymentOrder, 'submittedAt'>,
  submitAt: Date,
): RailPaymentRow {
  return {
    id: railPaymentId(direction, id),
    platform_id: op.platform.id,
    rail: rail ?? SANDBOX_RAIL,
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

/** A payment's record, by its direction and its name at the rail, if there is one. */
export async function findRailPayment(
  op: Op,
  direction: 'OUT' | 'PULL',
  paymentId: string,
): Promise<RailPaymentRow | undefined> {
  return selectRailPayment(op, railPaymentId(direction, paymentId))
}

/** The last decision about what became of a payment, if it has one. */
export async function findLastDecision(
  op: Op,
  { id }: Pick<RailPaymentRow, 'id'>,
): Promise<SettledDecisionRow | undefined> {
  return selectLastDecision(op, id)
}

/**
 * A rail's reply about a payment, and the writes that record it. Guard of the writes: no other report was
 * applied in the meantime.
 */
export interface RailReplied {
  readonly answer: RailAnswer
  readonly writes: readonly Write[]
}

/** A payment's record; `isStored` is false for a new one on a simulated rail. */
interface Recorded {
  readonly row: RailPaymentRow
  readonly isStored: boolean
}

/**
 * Gives a payment to its rail, or polls its outcome. The rail is not called if the outcome is known, or if a
 * payment to a chain is held back: it waits for a person, or has failed. Throws if the rail is no longer in
 * the file, or the address cannot be screened: the payment waits.
 */
export async function askRail(
  op: Op,
  order: PaymentOrder,
  { alreadySubmitted = false, mayComeBack = false }: AskedOfRail,
): Promise<RailReplied> {
  const { rail: name, direction, accountId, mandateId, madeAt, sign, ...payment } = order
  const rail = op.rails.find(name)
  if (!rail) return answerWithoutRail(op, order)
  const recorded = await recordOf(op, rail, order)
  const { row } = recorded
  const ended = mayComeBack && row.state === 'DELIVERED' ? undefined : answerOf(row)
  if (ended) return { answer: ended, writes: [] }
  const gate =
    row.state === RAIL_PAYMENT_INITIAL ? await screenBeforeSending(op, order, alreadySubmitted) : CLEARED
  const stop = heldBack(op, rail, recorded, gate, alreadySubmitted)
  if (stop) return stop
  if (op.now < row.submit_at) return { answer: askLater(row.submit_at), writes: gate.writes }
  const payee = accountId === null ? undefined : await findExternalAccountEver(op, accountId)
  const isNew = row.state === RAIL_PAYMENT_INITIAL && !alreadySubmitted
  if (payee?.status === 'UNDER_REVIEW' && isNew)
    return { answer: askLater(plusSeconds(op.now, IN_DOUBT_SECONDS)), writes: gate.writes }
  if (payee?.status === 'INACTIVE' && isNew)
    return endUnsent(op, recorded, `The account is INACTIVE: ${payee.status_reason ?? 'its bank refuses it'}`)
  const account = payee && (await accountAsOf(op, payee, madeAt ?? row.created_at)).account_info
  const asking = { ...payment, account, alreadySubmitted, submittedAt: row.submit_at, now: op.now }
  if (account && (await rail.isAccountInDoubt?.(op.read, op.platform.id, account)))
    return { answer: askLater(plusSeconds(op.now, IN_DOUBT_SECONDS)), writes: gate.writes }
  if (rail.enqueue) {
    const collection = mandateId === undefined ? undefined : await beginCollection(op, mandateId)
    const queued = await enqueuePayment(op, recorded, asking, { sign, collection }, rail.enqueue.bind(rail))
    return { ...queued, writes: [...gate.writes, ...queued.writes] }
  }
  const answer = await call(op, rail, direction, asking)
  return { answer, writes: [...gate.writes, ...recordReply(op, recorded, answer)] }
}

/** The outcome of a final payment whose rail was removed. Throws if the payment is not final. */
async function answerWithoutRail(op: Op, { rail, direction, id }: PaymentOrder): Promise<RailReplied> {
  const row = await findRailPayment(op, direction, id)
  const answer = row && answerOf(row)
  if (!answer) throw new Error(`The rail ${rail} is not in RAILS_FILE: its payments wait for it`)
  return { answer, writes: [] }
}

/** A payment's record. Throws if it was never given to its rail. */
async function recordOf(op: Op, rail: Rail, order: PaymentOrder): Promise<Recorded> {
  const row = await findRailPayment(op, order.direction, order.id)
  if (row) return { row, isStored: true }
  if (!rail.isSimulated) throw new Error(`${order.id} was never given to the rail ${order.rail}`)
  return { row: railPaymentRow(op, order, order.submittedAt), isStored: false }
}

/** Calls a rail. A reply about another payment leaves this one unknown, and the rail is asked again. */
async function call(op: Op, rail: Rail, direction: 'OUT' | 'PULL', asking: RailPayment): Promise<RailAnswer> {
  const by = direction === 'OUT' ? 'send' : 'pull'
  return aboutPayment(asking, await askingRail(op, rail, by, () => rail[by](asking)))
}

/** A reply without its subject, if that is the payment of the call. */
export function aboutPayment(
  asked: Pick<RailPayment, 'id' | 'submittedAt' | 'now'>,
  { subject, ...answer }: RailReply,
): RailAnswer {
  if (subject === asked.id) return answer
  const why = `The call was about ${asked.id}, and the reply is about ${subject}`
  return { outcome: 'unknown', askAgainAt: askAgainAt('unknown', asked), why }
}

/** The delay before a payment to an account in doubt is checked again. */
const IN_DOUBT_SECONDS = 15 * 60

const CLEARED: Gate = { wasReleased: false, writes: [] }

/** Screens a payment before sending: an address on a chain must be on no list, or released by a person. */
async function screenBeforeSending(
  op: Op,
  { direction, id, chain, identifier, amount, currency }: PaymentOrder,
  alreadySubmitted: boolean,
) {
  if (direction !== 'OUT' || chain === null || identifier === null) return CLEARED
  return gateOf(op, { id, chain, identifier, amount, currency }, alreadySubmitted)
}

/** The outcome of a held-back payment; undefined if it may be sent. */
function heldBack(
  op: Op,
  rail: Rail,
  recorded: Recorded,
  { held, wasReleased, writes }: Gate,
  alreadySubmitted: boolean,
): RailReplied | undefined {
  if (held?.outcome === 'failed')
    return { answer: held, writes: [...writes, ...recordReply(op, recorded, held)] }
  if (held) return { answer: held, writes }
  // A call cannot be taken back, so the screening that allows it is stored first.
  if (writes.length > 0 && !rail.enqueue && !rail.isSimulated) return { answer: askLater(op.now), writes }
  const opensAt = wasReleased && !alreadySubmitted ? rail.opensAt(op.now) : op.now
  return opensAt > op.now ? { answer: askLater(opensAt), writes } : undefined
}

function askLater(askAgainAt: Date): RailAnswer {
  return { outcome: 'accepted', askAgainAt }
}

/** Adds a payment to the rail's queue, once. Its record does not change until the rail has it. */
async function enqueuePayment(
  op: Op,
  recorded: Recorded,
  payment: RailPayment,
  { sign, collection }: Pick<PaymentOrder, 'sign'> & { readonly collection: Collection | undefined },
  enqueue: NonNullable<Rail['enqueue']>,
): Promise<RailReplied> {
  const { row } = recorded
  if (collection && 'fault' in collection) return endUnsent(op, recorded, collection.fault)
  const mandate = collection?.mandate
  const { returnOf } = payment
  const deposit = returnOf === undefined ? undefined : await selectDeposit(op, depositId(row.rail, returnOf))
  const sender = deposit?.details.sender
  const { id: recordId, platform_id: platformId, direction } = row
  const asked = { ...payment, mandate, recordId, platformId, direction, sender }
  const reply = enqueue({ ...asked, signed: await sign?.() })
  return reply.outcome === 'queued'
    ? { answer: { outcome: 'accepted' }, writes: [...reply.writes, ...(collection?.writes(row) ?? [])] }
    : { answer: reply, writes: recordReply(op, recorded, reply) }
}

function endUnsent(op: Op, recorded: Recorded, detail: string): RailReplied {
  const answer = { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail } as const
  return { answer, writes: recordReply(op, recorded, answer) }
}

/**
 * Fails a payment that cannot be given to its rail after all; if the rail is known to have it, polls it
 * instead. Guard of the writes: no report of the rail in the meantime.
 */
export async function failBeforeSending(
  op: Op,
  order: PaymentOrder,
  answer: Extract<RailAnswer, { outcome: 'failed' }>,
): Promise<RailReplied> {
  const row = await findRailPayment(op, order.direction, order.id)
  if (row && row.state !== RAIL_PAYMENT_INITIAL) return askRail(op, order, { alreadySubmitted: true })
  const recorded = row
    ? { row, isStored: true }
    : { row: railPaymentRow(op, order, order.submittedAt), isStored: false }
  return { answer, writes: recordReply(op, recorded, answer) }
}

/** A payment's outcome, by its record; undefined until the rail reports it. */
function answerOf({ state, failure, transaction_hash }: RailPaymentRow): RailAnswer | undefined {
  if (state === 'GIVEN' || state === 'ACCEPTED') return undefined
  if (state === 'DELIVERED')
    return {
      outcome: 'delivered',
      ...(transaction_hash === null ? {} : { transactionHash: transaction_hash }),
    }
  const reason = {
    failureReason: failureReasonOf(failure?.code),
    detail: failure?.message ?? 'The payment was cancelled',
  }
  if (state === 'FAILED') return { outcome: 'failed', ...reason }
  if (state === 'CANCELLED') return { outcome: 'cancelled', ...reason }
  return {
    outcome: 'returned',
    ...reason,
    reason: failure?.reason ?? 'TRANSACTION_FAILED',
    ...(failure?.isMoneyMissing ? { isMoneyMissing: true } : {}),
  }
}

function failureReasonOf(code: string | undefined): PaymentFailure {
  return PAYMENT_FAILURES.find((one) => one === code) ?? 'QUOTE_EXECUTION_FAILED'
}

/** Records a reply by the table `RECORD_EFFECTS`. */
function recordReply(op: Op, { row, isStored }: Recorded, answer: RailAnswer): Write[] {
  const effect = RECORD_EFFECTS[row.state][answer.outcome]
  if (answer.outcome === 'unknown' || effect === 'contradiction') {
    const why =
      answer.outcome === 'unknown' ? answer.why : `it is ${row.state}, and the rail says ${answer.outcome}`
    op.log.warn({ payment: row.payment_id, rail: row.rail, why }, 'payment unknown at its rail')
  }
  const by = EVENTS[answer.outcome]
  if (effect !== 'move' || by === null) return isStored ? [] : [insert('rail_payments', row)]
  const moved = moveRailPayment(op, row, by, { ...answer, failure: failureOf(answer) })
  return [isStored ? moved.write : insert('rail_payments', moved.row)]
}

/** The failure reason for a payment's record; undefined for any other reply. */
export function failureOf(answer: RailAnswer): RailFailure | undefined {
  if (!('failureReason' in answer)) return undefined
  const { failureReason: code, detail: message } = answer
  if (answer.outcome !== 'returned') return { code, message }
  const { reason, isMoneyMissing } = answer
  return { code, message, reason, ...(isMoneyMissing ? { isMoneyMissing } : {}) }
}

/** The fields that a rail reports next to the state. */
export interface ReportedFields {
  readonly connectorReference?: string | undefined
  readonly transactionHash?: string | undefined
  readonly failure?: RailFailure | undefined
}

/** False if a later report has already been applied. */
export function isNews(state: RailPaymentState, by: RailPaymentEvent): boolean {
  return RAIL_PAYMENT_TRANSITIONS[state][by] !== null
}

/** Moves the record of a payment on. Guard: its state has not changed in the meantime. */
export function moveRailPayment(
  op: Op,
  row: RailPaymentRow,
  by: RailPaymentEvent,
  told: ReportedFields,
): { readonly row: RailPaymentRow; readonly write: Write } {
  return transition(op, 'rail_payments', RAIL_PAYMENT_TRANSITIONS, row, by, {
    ...(told.connectorReference === undefined ? {} : { rail_reference: told.connectorReference }),
    ...(told.transactionHash === undefined ? {} : { transaction_hash: told.transactionHash }),
    ...(told.failure === undefined ? {} : { failure: told.failure }),
    ...(by === 'deliver' ? { delivered_at: op.now } : {}),
    ...(by === 'return' ? { returned_at: op.now } : {}),
  })
}
