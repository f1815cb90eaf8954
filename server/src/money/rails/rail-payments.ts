import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { runRailSpan } from '../../kernel/operation/spans.ts'
import { transition } from '../../kernel/operation/transition.ts'
import {
  PAYMENT_FAILURES,
  type PaymentFailure,
  type Rail,
  type RailPayment,
  type RailReply,
  type RailResult,
  SANDBOX_RAIL,
  type SignedChainPayment,
} from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { RailProgress } from '../../storage/rows/job.ts'
import type { RailFailure, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import {
  RAIL_PAYMENT_INITIAL,
  RAIL_PAYMENT_TRANSITIONS,
  type RailPaymentEvent,
  type RailPaymentState,
} from '../../storage/rows/states.ts'
import { findAccountAsOf } from '../external-accounts/account-changes.ts'
import { findExternalAccountEvenIfDeleted } from '../external-accounts/external-accounts.ts'
import { type Gate, screenPayment } from '../screenings/screen-payment.ts'
import { computeNextPollAt } from './ask-again.ts'
import { beginCollection, type Collection } from './collections.ts'
import { deriveDepositId, deriveRailPaymentId } from './rail-ids.ts'
import { EVENTS, RECORD_EFFECTS } from './settlement-table.ts'
import { selectDeposit, selectHasDecidedLine, selectLastDecision, selectRailPayment } from './store.ts'

/** A payment for a rail, before the data of its stored record is added. */
export type PaymentOrder = Omit<RailPayment, 'account' | 'mandate' | 'alreadySubmitted' | 'now'> & {
  /** The name of the rail; null for the sandbox. */
  readonly rail: string | null
  readonly direction: 'OUT' | 'PULL'
  /** The external account that is paid or debited; its details are passed to the rail. */
  readonly accountId: string | null
  /** The mandate of a pull, if the rail needs one. */
  readonly mandateId?: string | undefined
  /** Use the account's details as of this time. By default, as of the creation of the payment's record. */
  readonly madeAt?: Date
  /** Signs with the paying chain wallet's key. Called when the payment is added to the rail's queue. */
  readonly sign?: (() => Promise<SignedChainPayment>) | undefined
}

/**
 * Creates the record of a payment at its final rail, in the write set that schedules the payment's job.
 * Returns nothing for a simulated rail, which writes its records with its replies. Guard: the payment has no
 * record yet.
 */
export function createPaymentRecord(
  op: Op,
  payment: Omit<PaymentOrder, 'submittedAt'>,
  submitAt: Date,
): Write[] {
  if (!op.rails.find(payment.rail)?.isSimulated)
    return [insert('rail_payments', buildRailPaymentRow(op, payment, submitAt))]
  op.known.addAbsent('rail_payments', deriveRailPaymentId(payment.direction, payment.id))
  return []
}

function buildRailPaymentRow(
  op: Op,
  { rail, direction, id, amount, currency, reference }: Omit<PaymentOrder, 'submittedAt'>,
  submitAt: Date,
): RailPaymentRow {
  return {
    id: deriveRailPaymentId(direction, id),
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

/** Finds the record of a payment by its direction and its id at the rail. */
export async function findRailPayment(
  op: Op,
  direction: 'OUT' | 'PULL',
  paymentId: string,
): Promise<RailPaymentRow | undefined> {
  return selectRailPayment(op, deriveRailPaymentId(direction, paymentId))
}

/** The latest decision about the outcome of a payment, if any. */
export async function findLastDecision(
  op: Op,
  { id }: Pick<RailPaymentRow, 'id'>,
): Promise<SettledDecisionRow | undefined> {
  return selectLastDecision(op, id)
}

/** True if any decision about the outcome of a payment names this line of a statement. */
export async function hasDecidedLine(
  op: Op,
  { id }: Pick<RailPaymentRow, 'id'>,
  lineId: string,
): Promise<boolean> {
  return selectHasDecidedLine(op, id, lineId)
}

/**
 * A rail's reply about a payment, and the writes that record it. Guard: no other report was applied in the
 * meantime.
 */
export interface RailReplied {
  readonly answer: RailResult
  readonly writes: readonly Write[]
}

/** The record of a payment. `isStored` is false if the payment is new on a simulated rail. */
interface PaymentRecord {
  readonly row: RailPaymentRow
  readonly isStored: boolean
}

/**
 * Submits a payment to its rail, or polls its outcome. Does not call the rail if the outcome is known, or if
 * a chain payment failed screening or waits for a decision about it. Throws if the rail is no longer
 * configured or the address cannot be screened; the job is then retried.
 */
export async function submitOrPollPayment(
  op: Op,
  order: PaymentOrder,
  { alreadySubmitted = false, mayComeBack = false }: RailProgress,
): Promise<RailReplied> {
  const { rail: name, direction, accountId, mandateId, madeAt, sign, ...payment } = order
  const rail = op.rails.find(name)
  if (!rail) return requireKnownOutcome(op, order)
  const recorded = await findOrCreateRecord(op, rail, order)
  const { row } = recorded
  const knownOutcome = mayComeBack && row.state === 'DELIVERED' ? undefined : readRecordedResult(row)
  if (knownOutcome) return { answer: knownOutcome, writes: [] }
  const gate =
    row.state === RAIL_PAYMENT_INITIAL ? await screenBeforeSending(op, order, alreadySubmitted) : CLEARED
  const block = findBlock(op, rail, recorded, gate, alreadySubmitted)
  if (block) return block
  if (op.now < row.submit_at) return { answer: acceptAndPoll(row.submit_at), writes: gate.writes }
  const payee = accountId === null ? undefined : await findExternalAccountEvenIfDeleted(op, accountId)
  const isUnsent = row.state === RAIL_PAYMENT_INITIAL && !alreadySubmitted
  if (payee?.status === 'UNDER_REVIEW' && isUnsent)
    return { answer: acceptAndPoll(addSeconds(op.now, DOUBT_RECHECK_SECONDS)), writes: gate.writes }
  if (payee?.status === 'INACTIVE' && isUnsent)
    return failUnsent(
      op,
      recorded,
      `The account is INACTIVE: ${payee.status_reason ?? 'its bank rejected it'}`,
    )
  const account = payee && (await findAccountAsOf(op, payee, madeAt ?? row.created_at)).account_info
  const request = { ...payment, account, alreadySubmitted, submittedAt: row.submit_at, now: op.now }
  if (account && (await rail.isAccountInDoubt?.(op.read, op.platform.id, account)))
    return { answer: acceptAndPoll(addSeconds(op.now, DOUBT_RECHECK_SECONDS)), writes: gate.writes }
  if (rail.enqueue) {
    const collection = mandateId === undefined ? undefined : await beginCollection(op, mandateId)
    const queued = await enqueuePayment(op, recorded, request, { sign, collection }, rail.enqueue.bind(rail))
    return { ...queued, writes: [...gate.writes, ...queued.writes] }
  }
  const answer = await callRail(op, rail, direction, request)
  return { answer, writes: [...gate.writes, ...recordReply(op, recorded, answer)] }
}

/** The known outcome of a payment whose rail was removed. Throws if the outcome is not final. */
async function requireKnownOutcome(op: Op, { rail, direction, id }: PaymentOrder): Promise<RailReplied> {
  const row = await findRailPayment(op, direction, id)
  const answer = row && readRecordedResult(row)
  if (!answer)
    throw new Error(`The rail ${rail} is not in RAILS_FILE. Its payments wait until it is configured again.`)
  return { answer, writes: [] }
}

/** The record of a payment. Throws if it was never submitted. */
async function findOrCreateRecord(op: Op, rail: Rail, order: PaymentOrder): Promise<PaymentRecord> {
  const row = await findRailPayment(op, order.direction, order.id)
  if (row) return { row, isStored: true }
  if (!rail.isSimulated) throw new Error(`${order.id} was never submitted to the rail ${order.rail}`)
  return { row: buildRailPaymentRow(op, order, order.submittedAt), isStored: false }
}

/**
 * Calls a rail. If the reply is about another payment, the outcome is unknown and the rail is polled again.
 */
async function callRail(
  op: Op,
  rail: Rail,
  direction: 'OUT' | 'PULL',
  request: RailPayment,
): Promise<RailResult> {
  const method = direction === 'OUT' ? 'send' : 'pull'
  return aboutPayment(request, await runRailSpan(op, rail, method, () => rail[method](request)))
}

/** Removes the subject from a reply. If the reply is about another payment, the outcome is unknown. */
export function aboutPayment(
  request: Pick<RailPayment, 'id' | 'submittedAt' | 'now'>,
  { subject, ...answer }: RailReply,
): RailResult {
  if (subject === request.id) return answer
  const reason = `The call was about ${request.id}, and the reply is about ${subject}`
  return { outcome: 'unknown', pollAt: computeNextPollAt('unknown', request), why: reason }
}

/** The delay before checking again if an account is still in doubt. */
const DOUBT_RECHECK_SECONDS = 15 * 60

const CLEARED: Gate = { wasReleased: false, writes: [] }

/**
 * Screens a chain payment before it is sent. A payment to a listed address waits until an operator has
 * released it.
 */
async function screenBeforeSending(
  op: Op,
  { direction, id, chain, identifier, amount, currency }: PaymentOrder,
  alreadySubmitted: boolean,
) {
  if (direction !== 'OUT' || chain === null || identifier === null) return CLEARED
  return screenPayment(op, { id, chain, identifier, amount, currency }, alreadySubmitted)
}

/** The reply for a payment that must not be sent now. Undefined if it may be sent. */
function findBlock(
  op: Op,
  rail: Rail,
  recorded: PaymentRecord,
  { held, wasReleased, writes }: Gate,
  alreadySubmitted: boolean,
): RailReplied | undefined {
  if (held?.outcome === 'failed')
    return { answer: held, writes: [...writes, ...recordReply(op, recorded, held)] }
  if (held) return { answer: held, writes }
  // A call cannot be undone, so the screening that allows it is stored first.
  if (writes.length > 0 && !rail.enqueue && !rail.isSimulated)
    return { answer: acceptAndPoll(op.now), writes }
  const opensAt = wasReleased && !alreadySubmitted ? rail.opensAt(op.now) : op.now
  return opensAt > op.now ? { answer: acceptAndPoll(opensAt), writes } : undefined
}

function acceptAndPoll(pollAt: Date): RailResult {
  return { outcome: 'accepted', pollAt }
}

/**
 * Adds a payment to the rail's queue once. The payment's record does not change until the rail has accepted
 * it.
 */
async function enqueuePayment(
  op: Op,
  recorded: PaymentRecord,
  payment: RailPayment,
  { sign, collection }: Pick<PaymentOrder, 'sign'> & { readonly collection: Collection | undefined },
  enqueue: NonNullable<Rail['enqueue']>,
): Promise<RailReplied> {
  const { row } = recorded
  if (collection && 'fault' in collection) return failUnsent(op, recorded, collection.fault)
  const mandate = collection?.mandate
  const { returnOf } = payment
  const deposit =
    returnOf === undefined ? undefined : await selectDeposit(op, deriveDepositId(row.rail, returnOf))
  const sender = deposit?.details.sender
  const { id: recordId, platform_id: platformId, direction } = row
  const request = { ...payment, mandate, recordId, platformId, direction, sender }
  const reply = enqueue({ ...request, signed: await sign?.() })
  return reply.outcome === 'queued'
    ? { answer: { outcome: 'accepted' }, writes: [...reply.writes, ...(collection?.writes(row) ?? [])] }
    : { answer: reply, writes: recordReply(op, recorded, reply) }
}

function failUnsent(op: Op, recorded: PaymentRecord, detail: string): RailReplied {
  const answer = { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail } as const
  return { answer, writes: recordReply(op, recorded, answer) }
}

/**
 * Fails a payment that cannot be submitted. If the rail may already have it, polls the rail instead. Guard:
 * the rail has reported nothing in the meantime.
 */
export async function failBeforeSending(
  op: Op,
  order: PaymentOrder,
  answer: Extract<RailResult, { outcome: 'failed' }>,
): Promise<RailReplied> {
  const row = await findRailPayment(op, order.direction, order.id)
  if (row && row.state !== RAIL_PAYMENT_INITIAL)
    return submitOrPollPayment(op, order, { alreadySubmitted: true })
  const recorded = row
    ? { row, isStored: true }
    : { row: buildRailPaymentRow(op, order, order.submittedAt), isStored: false }
  return { answer, writes: recordReply(op, recorded, answer) }
}

/** The outcome of a payment according to its record; undefined until the rail has reported one. */
function readRecordedResult({ state, failure, transaction_hash }: RailPaymentRow): RailResult | undefined {
  if (state === 'GIVEN' || state === 'ACCEPTED') return undefined
  if (state === 'DELIVERED')
    return {
      outcome: 'delivered',
      ...(transaction_hash === null ? {} : { transactionHash: transaction_hash }),
    }
  const reason = {
    failureReason: toFailureReason(failure?.code),
    detail: failure?.message ?? 'The payment was canceled',
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

function toFailureReason(code: string | undefined): PaymentFailure {
  return PAYMENT_FAILURES.find((one) => one === code) ?? 'QUOTE_EXECUTION_FAILED'
}

/** Applies a reply to the payment's record, by the table `RECORD_EFFECTS`. */
function recordReply(op: Op, { row, isStored }: PaymentRecord, answer: RailResult): Write[] {
  const effect = RECORD_EFFECTS[row.state][answer.outcome]
  if (answer.outcome === 'unknown' || effect === 'contradiction') {
    const reason =
      answer.outcome === 'unknown' ? answer.why : `it is ${row.state}, and the rail says ${answer.outcome}`
    op.log.warn(
      { payment: row.payment_id, rail: row.rail, why: reason },
      'rail reply contradicts or leaves open the outcome of a payment',
    )
  }
  const paymentEvent = EVENTS[answer.outcome]
  if (effect !== 'move' || paymentEvent === null) return isStored ? [] : [insert('rail_payments', row)]
  const moved = moveRailPayment(op, row, paymentEvent, { ...answer, failure: toRailFailure(answer) })
  return [isStored ? moved.write : insert('rail_payments', moved.row)]
}

/** The failure to store with a payment; undefined if the reply is not a failure. */
export function toRailFailure(answer: RailResult): RailFailure | undefined {
  if (!('failureReason' in answer)) return undefined
  const { failureReason: code, detail: message } = answer
  if (answer.outcome !== 'returned') return { code, message }
  const { reason, isMoneyMissing } = answer
  return { code, message, reason, ...(isMoneyMissing ? { isMoneyMissing } : {}) }
}

/** The fields that a rail reports about a payment in addition to its state. */
export interface ReportedFields {
  readonly connectorReference?: string | undefined
  readonly transactionHash?: string | undefined
  readonly failure?: RailFailure | undefined
}

/** False if a later report has already been applied. */
export function isNewReport(state: RailPaymentState, by: RailPaymentEvent): boolean {
  return RAIL_PAYMENT_TRANSITIONS[state][by] !== null
}

/** Moves a payment's record to the next state. Guard: its state is unchanged. */
export function moveRailPayment(
  op: Op,
  row: RailPaymentRow,
  by: RailPaymentEvent,
  reported: ReportedFields,
): { readonly row: RailPaymentRow; readonly write: Write } {
  return transition(op, 'rail_payments', RAIL_PAYMENT_TRANSITIONS, row, by, {
    ...(reported.connectorReference === undefined ? {} : { rail_reference: reported.connectorReference }),
    ...(reported.transactionHash === undefined ? {} : { transaction_hash: reported.transactionHash }),
    ...(reported.failure === undefined ? {} : { failure: reported.failure }),
    ...(by === 'deliver' ? { delivered_at: op.now } : {}),
    ...(by === 'return' ? { returned_at: op.now } : {}),
  })
}
