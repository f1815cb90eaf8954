import { present } from '@countersign/contract/core/objects'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { recordNameCheck } from '../../money/external-accounts/external-accounts.ts'
import { findCounterparty } from '../../money/rail-events/apply-account-change.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { update } from '../../storage/commit/writes.ts'
import { buildId } from '../../storage/engine/ids.ts'
import {
  type BankFileRow,
  type BankPaymentRow,
  isOfKind,
  type QueuedPaymentRow,
} from '../../storage/rows/bank-file.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import type { BeneficiaryStatus } from '../../storage/rows/stored-documents.ts'
import { type Acknowledgement, acknowledgeByStatus } from './acknowledgements.ts'
import { applyOnce } from './apply-line.ts'
import { type Failure, toIsoFailure } from './failure-reasons.ts'
import { selectFileByMessage } from './file-store.ts'
import type { BankStatus } from './formats/pain-002.ts'
import { holdRecord, toBankEvent } from './hold-line.ts'
import { findIsoStatus } from './iso-statuses.ts'
import { findNamedReversal, toReversalIds } from './named-reversals.ts'
import { applyToAll, applyToEntry } from './outgoing.ts'
import { parseDebitSequence, parseInstructionId } from './queue.ts'
import type { BankFileWorker } from './rail.ts'
import { selectByReference, selectQueued } from './store.ts'
import { settleWaitingSums } from './waiting-sums.ts'

/**
 * Applies the status of one of our files, or of a payment in it, exactly once. A status that matches neither
 * waits for manual review.
 */
export async function applyStatus(worker: BankFileWorker, status: BankStatus, id: string): Promise<void> {
  if (status.status === null) return
  const meaning = findIsoStatus(status.status)
  if (!meaning) return holdStatus(worker, status, id, 'UNREADABLE')
  const { event, needsPerson, payeeCheck } = meaning
  const payment = status.level === 'PAYMENT' ? await findPayment(worker, status) : undefined
  if (needsPerson) await holdStatus(worker, status, `${id} waits`, 'BANK_WAITS', payment)
  if (payment && isOfKind(payment, 'PAYMENT') && payeeCheck)
    await recordPayeeCheck(worker, payment, payeeCheck)
  if (event === null) return status.status === 'PART' ? acknowledgePart(worker, status) : undefined
  if (status.level === 'PAYMENT') await applyToPayment(worker, payment, status, id, event)
  else await applyToWholeFile(worker, status, id, event)
  if (event === 'fail' && status.originalMessageId !== null)
    await settleWaitingSums(worker, status.originalMessageId)
}

async function applyToWholeFile(
  worker: BankFileWorker,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  const file = await selectFileByMessage(
    await createRailOp(worker),
    worker.rail.name,
    status.originalMessageId,
  )
  // A status of one of several batches does not tell which batch it concerns.
  const isPartial = status.level === 'BATCH' && (file?.batches.length ?? 0) > 1
  if (!file || isPartial) return holdStatus(worker, status, id, 'UNKNOWN_PAYMENT')
  const direction = parseDebitSequence(file.batches[0]) ? 'PULL' : 'OUT'
  return applyToFile(worker, file, status, id, toEffect(direction, event))
}

/**
 * The effect of a status. A settled pull may still be returned, so it is delivered only after its booking and
 * the waiting period.
 */
function toEffect(direction: 'OUT' | 'PULL', event: RailPaymentEvent): RailPaymentEvent {
  return direction === 'PULL' && event === 'deliver' ? 'accept' : event
}

/** Stores the result of the payee verification with the payee's account. */
function recordPayeeCheck(
  worker: BankFileWorker,
  { direction, payment_id, details }: QueuedPaymentRow,
  result: BeneficiaryStatus,
): Promise<void> {
  return decide(worker, async (op) => {
    const row = await findRailPayment(op, direction, payment_id)
    const accountId = row && (await findCounterparty(op, row))?.accountId
    if (!accountId?.startsWith('ExternalAccount:')) return []
    return recordNameCheck(op, accountId, details.account, result)
  })
}

async function applyToPayment(
  worker: BankFileWorker,
  payment: BankPaymentRow | undefined,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  if (!payment) return holdStatus(worker, status, id, 'UNKNOWN_PAYMENT')
  const failure = readFailure(status, event)
  if (!isOfKind(payment, 'PAYMENT'))
    return decide(worker, (op) => applyToEntry(op, payment, { id, event, ...failure }))
  const evidence: PaymentEvidence = {
    id,
    source: 'STATUS_FILE',
    account: null,
    kind: 'payment',
    event: toEffect(payment.direction, event),
    subject: { direction: payment.direction, id: payment.payment_id },
    amount: status.amount,
    currency: status.currency,
    occurredAt: (await createRailOp(worker)).now.toISOString(),
    ...failure,
  }
  await applyOnce(worker, evidence)
}

/** Finds the row of a status by our id, or by the end-to-end id, which a payment shares with its prenote. */
async function findPayment(
  worker: BankFileWorker,
  { instructionId, endToEndId }: BankStatus,
): Promise<BankPaymentRow | undefined> {
  const op = await createRailOp(worker)
  const uuid = parseInstructionId(instructionId)
  const rowWithId = uuid && (await selectQueued(op, buildId('RailPayment', uuid)))
  if (rowWithId && rowWithId.rail === worker.rail.name) return rowWithId
  const found = endToEndId ? await selectByReference(op, worker.rail.name, [endToEndId]) : []
  if (found.length === 1) return found[0]
  return findNamedReversal(op, worker.rail, { endToEndIds: [endToEndId], instructionIds: [instructionId] })
}

/**
 * Applies a status to all payments of a file. Each payment records the status, so after a crash the next run
 * continues with the remaining ones.
 */
async function applyToFile(
  worker: BankFileWorker,
  file: BankFileRow,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  if (await findRailEvent(await createRailOp(worker), worker.rail.name, id)) return
  await applyToAll(worker, file, { id, source: 'STATUS_FILE', event, ...readFailure(status, event) })
  await decide(worker, async (op) => {
    if (await findRailEvent(op, worker.rail.name, id)) return []
    const decision = ACKNOWLEDGES[event]
    const writes = decision ? await acknowledgeByStatus(op, worker, file, decision, status.status ?? '') : []
    return [
      ...(writes.length > 0 ? writes : [update('bank_files', file.id, {}, { bank_status: status.status })]),
      ...recordReport(op, worker.rail.name, toBankEvent(id, 'file.status', status), undefined),
    ]
  })
}

/**
 * The effect on the file of a status that applies to all its payments. A canceled file is neither accepted
 * nor rejected.
 */
const ACKNOWLEDGES: Partial<Record<RailPaymentEvent, Acknowledgement['event']>> = {
  accept: 'acknowledge',
  deliver: 'acknowledge',
  fail: 'reject',
}

/** Acknowledges a partially accepted file. Each rejected payment has a separate status. */
async function acknowledgePart(worker: BankFileWorker, { originalMessageId }: BankStatus): Promise<void> {
  await decide(worker, async (op) => {
    const file = await selectFileByMessage(op, worker.rail.name, originalMessageId)
    return file ? acknowledgeByStatus(op, worker, file, 'acknowledge', 'PART') : []
  })
}

function readFailure({ reasons }: BankStatus, event: RailPaymentEvent): { readonly failure?: Failure } {
  return event === 'fail' ? { failure: toIsoFailure(reasons[0] ?? null) } : {}
}

function holdStatus(
  worker: BankFileWorker,
  status: BankStatus,
  id: string,
  reason: 'UNREADABLE' | 'UNKNOWN_PAYMENT' | 'BANK_WAITS',
  payment?: BankPaymentRow,
): Promise<void> {
  const words = status.status === null ? undefined : findIsoStatus(status.status)?.label
  const isReversal = payment && isOfKind(payment, 'REVERSAL')
  const subject = isReversal ? toReversalIds(payment) : present({ id: payment?.payment_id })
  const data = { ...status, ...present({ words }), ...subject }
  return holdRecord(worker, toBankEvent(id, 'file.status', data), reason)
}
