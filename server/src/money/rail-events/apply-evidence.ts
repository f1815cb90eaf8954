import type { ConnectorMoney } from '@countersign/contract/connectors/protocol'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { DepositRow, RailPaymentRow, SettledDecisionRow } from '../../storage/rows/rail.ts'
import { hasRoomForDeposit, recordDeposit } from '../deposits/deposits.ts'
import { reverseDeposit } from '../deposits/reverse.ts'
import {
  type DepositEvidence,
  type Evidence,
  type EvidenceSource,
  isBooking,
  type PaymentEvidence,
  type ReversalEvidence,
} from '../evidence/evidence.ts'
import { type ExpectedRail, judge, type Verdict } from '../evidence/judge.ts'
import { judgeDecided } from '../evidence/judge-decided.ts'
import { findQuote } from '../quotes/quotes.ts'
import { getBookedAmount } from '../rails/booked-amount.ts'
import { findDepositRow } from '../rails/deposit-rows.ts'
import { deriveDepositId, deriveLineReportId, deriveRailEventId } from '../rails/rail-ids.ts'
import {
  findLastDecision,
  findRailPayment,
  hasDecidedLine,
  moveRailPayment,
  type ReportedFields,
} from '../rails/rail-payments.ts'
import { applyAccountChange } from './apply-account-change.ts'
import { applyMandateAdvice } from './apply-mandate-advice.ts'
import { endMandate } from './end-mandate.ts'
import { type Report, toEvidence } from './evidence-of-event.ts'
import { selectRailEvent } from './store.ts'

/** The writes of a claim. With a `reason`, the claim has no effect and waits for manual review. */
export interface Applied {
  readonly writes: readonly Write[]
  readonly reason?: RailEventReason
  /** The amount of the record, if the claim states a different amount. */
  readonly expected?: ConnectorMoney
  /** The decision about the payment, if the claim contradicts it. */
  readonly decision?: ShownDecision
}

/** A decision, as shown with a waiting report. */
export interface ShownDecision {
  readonly id: string
  readonly outcome: SettledDecisionRow['outcome']
  readonly decidedAt: string
  readonly charge?: ConnectorMoney
}

const NO_EFFECT: Applied = { writes: [] }

/** Applies a connector's event about a payment or a deposit. */
export async function applyEvent(
  op: Op,
  rail: string,
  event: Report,
  source: EvidenceSource = 'CONNECTOR',
): Promise<Applied> {
  const evidence = toEvidence(event, source)
  return evidence ? applyEvidence(op, rail, evidence) : { writes: [], reason: 'UNREADABLE' }
}

/**
 * Applies a claim of a rail or bank. All sources use this function, because a claim takes effect only after
 * `judge` has compared it with our records. The caller stores the claim; guards: no other claim was applied
 * in the meantime.
 */
export async function applyEvidence(op: Op, rail: string, evidence: Evidence): Promise<Applied> {
  switch (evidence.kind) {
    case 'payment': {
      const { direction, id } = evidence.subject
      return applyToPayment(op, rail, evidence, await findRailPayment(op, direction, id))
    }
    case 'deposit': {
      const deposit = await findDepositRow(op, deriveDepositId(rail, evidence.deposit.depositId))
      return applyDeposit(op, rail, evidence, deposit)
    }
    case 'reversal':
      return applyReversal(
        op,
        rail,
        evidence,
        await findDepositRow(op, deriveDepositId(rail, evidence.subject)),
      )
    case 'mandate':
      return applyMandateAdvice(op, findExpectedRail(op, rail), evidence)
    case 'account': {
      const { direction, id } = evidence.subject
      return applyAccountChange(
        op,
        findExpectedRail(op, rail),
        evidence,
        await findRailPayment(op, direction, id),
      )
    }
  }
}

/** Applies a claim about one of our payments to its record. */
export async function applyPaymentEvidence(
  op: Op,
  row: RailPaymentRow,
  event: PaymentEvidence['event'],
  reported: ReportedFields,
): Promise<Applied> {
  const evidence: PaymentEvidence = {
    id: row.id,
    source: 'CONNECTOR',
    account: null,
    kind: 'payment',
    event,
    subject: { direction: row.direction, id: row.payment_id },
    amount: null,
    currency: null,
    occurredAt: op.now.toISOString(),
    ...pickReported(reported),
  }
  return applyToPayment(op, row.rail, evidence, row)
}

async function applyToPayment(
  op: Op,
  rail: string,
  evidence: PaymentEvidence,
  row: RailPaymentRow | undefined,
): Promise<Applied> {
  const first = judge(evidence, { rail: findExpectedRail(op, rail), payment: row })
  const { verdict, decision } = await compareWithDecision(op, evidence, first, row)
  if (verdict.effect === 'hold')
    return {
      ...holdClaim(verdict.reason, row),
      ...present({ decision: decision && toShownDecision(decision) }),
    }
  if (verdict.effect === 'none' || !row) return NO_EFFECT
  const moved = moveRailPayment(op, row, evidence.event, pickReported(evidence))
  if (evidence.event === 'accept') return { writes: [moved.write] }
  return {
    writes: [moved.write, ...(await resumePayment(op, moved.row)), ...(await endMandate(op, moved.row))],
  }
}

/**
 * Compares a claim with an operator's decision about the payment, if there is one. A claim that contradicts
 * the decision waits for another decision.
 */
async function compareWithDecision(
  op: Op,
  evidence: PaymentEvidence,
  verdict: Verdict,
  row: RailPaymentRow | undefined,
): Promise<{ readonly verdict: Verdict; readonly decision?: SettledDecisionRow | undefined }> {
  const mayBeDecided = verdict.effect === 'hold' && SETTLED_BY_DECISION.has(verdict.reason)
  if (!row || !(mayBeDecided || (verdict.effect === 'none' && row.failure?.isDecided))) return { verdict }
  const decision = await findLastDecision(op, row)
  // An operator's decision overrides the calendar.
  if (decision && evidence.source === 'CALENDAR') return { verdict: { effect: 'none' }, decision }
  if (decision && (await isKnownLine(op, evidence, row))) return { verdict: { effect: 'none' }, decision }
  // A booking without its amount stays held, regardless of the decision.
  if (!decision || (isBooking(evidence.source) && evidence.amount === null)) return { verdict, decision }
  const decisionVerdict = judgeDecided(evidence, row, decision)
  const isSecond = decisionVerdict.effect === 'none' && (await isSecondReturn(op, evidence, row))
  return { verdict: isSecond ? { effect: 'hold', reason: 'CONTRADICTION' } : decisionVerdict, decision }
}

/** True if the claim or its statement line was recorded before, because a statement may be applied again. */
async function isKnownLine(
  op: Op,
  { id, event, line }: PaymentEvidence,
  row: RailPaymentRow,
): Promise<boolean> {
  const ids = event === 'return' && line !== undefined ? [id, line, deriveLineReportId(line)] : [id]
  for (const claimId of ids) if (await selectRailEvent(op, deriveRailEventId(row.rail, claimId))) return true
  return hasDecidedLine(op, row, id)
}

/**
 * True for a return of a payment for which a reversal was requested. The decision may have covered the
 * reversal, so this return may be different money.
 */
async function isSecondReturn(op: Op, { event }: PaymentEvidence, row: RailPaymentRow): Promise<boolean> {
  if (event !== 'return') return false
  const reversals = await op.rails.find(row.rail)?.reversals?.list(op.read, row)
  return reversals !== undefined && reversals.length > 0
}

/** Reasons for holding a claim that an earlier decision may already have settled. */
const SETTLED_BY_DECISION: ReadonlySet<RailEventReason> = new Set(['CONTRADICTION', 'OTHER_AMOUNT'])

function toShownDecision({ id, outcome, charge, currency, created_at }: SettledDecisionRow): ShownDecision {
  const decidedAt = created_at.toISOString()
  return {
    ...{ id, outcome, decidedAt },
    ...(charge === 0n ? {} : { charge: { value: String(charge), currency } }),
  }
}

async function applyDeposit(
  op: Op,
  rail: string,
  evidence: DepositEvidence,
  deposit: DepositRow | undefined,
): Promise<Applied> {
  const verdict = judge(evidence, { rail: findExpectedRail(op, rail), deposit })
  if (verdict.effect === 'hold') return { writes: [], reason: verdict.reason }
  if (verdict.effect === 'none') return NO_EFFECT
  if (!isKnownCurrency(evidence.currency)) return { writes: [], reason: 'UNREADABLE' }
  const { amount, currency } = evidence
  if (!(await hasRoomForDeposit(op, rail, { amount, currency })))
    return { writes: [], reason: 'OUT_OF_RANGE' }
  return recordDeposit(op, rail, evidence.deposit, amount)
}

async function applyReversal(
  op: Op,
  rail: string,
  evidence: ReversalEvidence,
  row: DepositRow | undefined,
): Promise<Applied> {
  const verdict = judge(evidence, { rail: findExpectedRail(op, rail), deposit: row })
  if (verdict.effect === 'hold')
    return holdClaim(verdict.reason, row && { ...row, amount: getBookedAmount(row) })
  const reversal = row && (await reverseDeposit(op, row, evidence.message))
  return reversal ? { writes: reversal.writes } : { writes: [], reason: 'CONTRADICTION' }
}

/** Holds a claim for manual review, showing the record's amount if the claim states another one. */
function holdClaim(
  reason: RailEventReason,
  record: Pick<RailPaymentRow, 'amount' | 'currency'> | undefined,
): Applied {
  const isOtherAmount = reason === 'OTHER_AMOUNT' && record !== undefined
  if (!isOtherAmount) return { writes: [], reason }
  return { writes: [], reason, expected: { value: String(record.amount), currency: record.currency } }
}

/** The configuration of a rail, for comparison with a claim. */
function findExpectedRail({ rails }: Op, name: string): ExpectedRail {
  const rail = rails.find(name)
  const currencies = rail?.entry?.serves.flatMap((line) => line.currencies)
  const { accountNumbers: accounts, arePullsProvisional = false } = rail ?? {}
  return { name, accounts, currencies, arePullsProvisional }
}

function pickReported({ connectorReference, transactionHash, failure }: ReportedFields) {
  return {
    ...(connectorReference === undefined ? {} : { connectorReference }),
    ...(transactionHash === undefined ? {} : { transactionHash }),
    ...(failure === undefined ? {} : { failure }),
  }
}

/** The job that continues a payment after a claim. It reads the outcome from the payment's record. */
export async function resumePayment(op: Op, payment: RailPaymentRow): Promise<Write[]> {
  const { payment_id: id, direction, submit_at } = payment
  const alreadySubmitted = true
  if (id.startsWith('Deposit:'))
    return [job(op, 'deposit.return', { depositId: id, alreadySubmitted }, op.now)]
  if (id.startsWith('Quote:')) {
    const { transaction_id: transactionId } = await findQuote(op, id)
    return [job(op, 'transaction.refund', { transactionId, alreadySubmitted }, op.now)]
  }
  const transaction = await findTransaction(op, id)
  if (transaction.kind !== 'QUOTE')
    return [job(op, 'transfer.settle', { transactionId: id, alreadySubmitted }, op.now)]
  const executedAt = submit_at.toISOString()
  const name = direction === 'PULL' ? 'transaction.pull' : 'transaction.settle'
  return [job(op, name, { transactionId: id, executedAt, alreadySubmitted }, op.now)]
}
