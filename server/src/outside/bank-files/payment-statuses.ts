import { present } from '@countersign/contract/core/objects'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { recordNameCheck } from '../../money/external-accounts/external-accounts.ts'
import { otherEnd } from '../../money/rail-events/apply-account-change.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { findRailPayment } from '../../money/rails/rail-payments.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { update } from '../../storage/commit/writes.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
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
import { type Failure, isoFailure } from './failure-reasons.ts'
import { selectFileByMessage } from './file-store.ts'
import type { BankStatus } from './formats/pain-002.ts'
import { bankEvent, holdRecord } from './hold-line.ts'
import { isoStatus } from './iso-statuses.ts'
import { aboutReversal, findNamedReversal } from './named-reversals.ts'
import { applyToAll, applyToEntry } from './outgoing.ts'
import { debitSequenceOf, uuidOfInstruction } from './queue.ts'
import type { BankFileWorker } from './rail.ts'
import { selectByReference, selectQueued } from './store.ts'
import { settleWaitingSums } from './waiting-sums.ts'

/**
 * Applies a status of our file or of a payment in it, exactly once. A status that matches nothing waits for a
 * person.
 */
export async function applyStatus(worker: BankFileWorker, status: BankStatus, id: string): Promise<void> {
  if (status.status === null) return
  const meaning = isoStatus(status.status)
  if (!meaning) return hold(worker, status, id, 'UNREADABLE')
  const { event, needsPerson, payeeCheck } = meaning
  const payment = status.level === 'PAYMENT' ? await paymentOf(worker, status) : undefined
  if (needsPerson) await hold(worker, status, `${id} waits`, 'BANK_WAITS', payment)
  if (payment && isOfKind(payment, 'PAYMENT') && payeeCheck)
    await recordPayeeCheck(worker, payment, payeeCheck)
  if (event === null) return status.status === 'PART' ? acknowledgePart(worker, status) : undefined
  if (status.level === 'PAYMENT') await applyToPayment(worker, payment, status, id, event)
  else await applyToWhole(worker, status, id, event)
  if (event === 'fail' && status.originalMessageId !== null)
    await settleWaitingSums(worker, status.originalMessageId)
}

async function applyToWhole(
  worker: BankFileWorker,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  const file = await selectFileByMessage(await opOf(worker), worker.rail.name, status.originalMessageId)
  // The status of one of several batches says nothing about the others, and does not tell which batch is
  // meant.
  const isOfPart = status.level === 'BATCH' && (file?.batches.length ?? 0) > 1
  if (!file || isOfPart) return hold(worker, status, id, 'UNKNOWN_PAYMENT')
  const direction = debitSequenceOf(file.batches[0]) ? 'PULL' : 'OUT'
  return applyToFile(worker, file, status, id, effectOn(direction, event))
}

/**
 * The effect of a status. A settled pull may still be returned, so it counts only once the statement and the
 * waiting period say so.
 */
function effectOn(direction: 'OUT' | 'PULL', event: RailPaymentEvent): RailPaymentEvent {
  return direction === 'PULL' && event === 'deliver' ? 'accept' : event
}

/** Stores the result of the payee verification with the account that is paid. */
function recordPayeeCheck(
  worker: BankFileWorker,
  { direction, payment_id, details }: QueuedPaymentRow,
  result: BeneficiaryStatus,
): Promise<void> {
  return decide(worker, async (op) => {
    const row = await findRailPayment(op, direction, payment_id)
    const accountId = row && (await otherEnd(op, row))?.accountId
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
  if (!payment) return hold(worker, status, id, 'UNKNOWN_PAYMENT')
  const failure = failureOf(status, event)
  if (!isOfKind(payment, 'PAYMENT'))
    return decide(worker, (op) => applyToEntry(op, payment, { id, event, ...failure }))
  const evidence: PaymentEvidence = {
    id,
    source: 'STATUS_FILE',
    account: null,
    kind: 'payment',
    event: effectOn(payment.direction, event),
    subject: { direction: payment.direction, id: payment.payment_id },
    amount: status.amount,
    currency: status.currency,
    occurredAt: (await opOf(worker)).now.toISOString(),
    ...failure,
  }
  await applyOnce(worker, evidence)
}

/** Finds the row of a status by our id, or else by the end-to-end id, which a payment shares with its prenote. */
async function paymentOf(
  worker: BankFileWorker,
  { instructionId, endToEndId }: BankStatus,
): Promise<BankPaymentRow | undefined> {
  const op = await opOf(worker)
  const uuid = uuidOfInstruction(instructionId)
  const named = uuid && (await selectQueued(op, idOfKind('RailPayment', uuid)))
  if (named && named.rail === worker.rail.name) return named
  const found = endToEndId ? await selectByReference(op, worker.rail.name, [endToEndId]) : []
  if (found.length === 1) return found[0]
  return findNamedReversal(op, worker.rail, { endToEndIds: [endToEndId], instructionIds: [instructionId] })
}

/**
 * Applies a status to all payments of a file. Each payment records it, so after a crash the next run
 * continues with the rest.
 */
async function applyToFile(
  worker: BankFileWorker,
  file: BankFileRow,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  if (await findRailEvent(await opOf(worker), worker.rail.name, id)) return
  await applyToAll(worker, file, { id, source: 'STATUS_FILE', event, ...failureOf(status, event) })
  await decide(worker, async (op) => {
    if (await findRailEvent(op, worker.rail.name, id)) return []
    const says = ACKNOWLEDGES[event]
    const moved = says ? await acknowledgeByStatus(op, worker, file, says, status.status ?? '') : []
    return [
      ...(moved.length > 0 ? moved : [update('bank_files', file.id, {}, { bank_status: status.status })]),
      ...recordReport(op, worker.rail.name, bankEvent(id, 'file.status', status), undefined),
    ]
  })
}

/**
 * The effect of a status of all payments on their file. A canceled file was neither accepted nor rejected.
 */
const ACKNOWLEDGES: Partial<Record<RailPaymentEvent, Acknowledgement['event']>> = {
  accept: 'acknowledge',
  deliver: 'acknowledge',
  fail: 'reject',
}

/** Acknowledges a file some of whose payments were accepted. Each of the others has a separate status. */
async function acknowledgePart(worker: BankFileWorker, { originalMessageId }: BankStatus): Promise<void> {
  await decide(worker, async (op) => {
    const file = await selectFileByMessage(op, worker.rail.name, originalMessageId)
    return file ? acknowledgeByStatus(op, worker, file, 'acknowledge', 'PART') : []
  })
}

function failureOf({ reasons }: BankStatus, event: RailPaymentEvent): { readonly failure?: Failure } {
  return event === 'fail' ? { failure: isoFailure(reasons[0] ?? null) } : {}
}

function hold(
  worker: BankFileWorker,
  status: BankStatus,
  id: string,
  reason: 'UNREADABLE' | 'UNKNOWN_PAYMENT' | 'BANK_WAITS',
  payment?: BankPaymentRow,
): Promise<void> {
  const words = status.status === null ? undefined : isoStatus(status.status)?.words
  const isReversal = payment && isOfKind(payment, 'REVERSAL')
  const about = isReversal ? aboutReversal(payment) : present({ id: payment?.payment_id })
  const data = { ...status, ...present({ words }), ...about }
  return holdRecord(worker, bankEvent(id, 'file.status', data), reason)
}
