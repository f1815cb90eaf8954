import { present } from '@countersign/contract/core/objects'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { findRailEvent, recordReport } from '../../money/rail-events/rail-events.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { update } from '../../storage/commit/writes.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
import type { BankFileRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import { applyOnce } from './apply-line.ts'
import { isoFailure } from './failure-reasons.ts'
import type { BankStatus } from './formats/pain-002.ts'
import { bankEvent, holdRecord } from './hold-line.ts'
import { isoStatus } from './iso-statuses.ts'
import { tellAll } from './outgoing.ts'
import { uuidOfInstruction } from './queue.ts'
import type { Desk } from './rail.ts'
import { selectBankPayment, selectByReference, selectFileByMessage } from './store.ts'
import { settleWaitingSums } from './waiting-sums.ts'

/**
 * Applies a status of our file, or of a payment in it, once. Statuses that match nothing wait for a person.
 */
export async function applyStatus(desk: Desk, status: BankStatus, id: string): Promise<void> {
  if (status.status === null) return
  const meaning = isoStatus(status.status)
  if (!meaning) return hold(desk, status, id, 'UNREADABLE')
  const { event, needsPerson } = meaning
  if (needsPerson) await hold(desk, status, `${id} waits`, 'BANK_WAITS')
  if (event === null) return
  if (status.level === 'PAYMENT') await applyToPayment(desk, status, id, event)
  else await applyToWhole(desk, status, id, event)
  if (event === 'fail' && status.originalMessageId !== null)
    await settleWaitingSums(desk, status.originalMessageId)
}

async function applyToWhole(
  desk: Desk,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  const file = await selectFileByMessage(await opOf(desk), desk.rail.name, status.originalMessageId)
  return file ? applyToFile(desk, file, status, id, event) : hold(desk, status, id, 'UNKNOWN_PAYMENT')
}

async function applyToPayment(
  desk: Desk,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  const payment = await paymentOf(desk, status)
  if (!payment) return hold(desk, status, id, 'UNKNOWN_PAYMENT')
  const evidence: PaymentEvidence = {
    id,
    source: 'STATUS_FILE',
    account: null,
    kind: 'payment',
    event,
    subject: { direction: payment.direction, id: payment.payment_id },
    amount: status.amount,
    currency: status.currency,
    occurredAt: (await opOf(desk)).now.toISOString(),
    ...failureOf(status, event),
  }
  await applyOnce(desk, evidence)
}

/** The payment of a status: by our id, else by the end-to-end id. */
async function paymentOf(
  desk: Desk,
  { instructionId, endToEndId }: BankStatus,
): Promise<BankPaymentRow | undefined> {
  const op = await opOf(desk)
  const uuid = uuidOfInstruction(instructionId)
  const named = uuid && (await selectBankPayment(op, idOfKind('RailPayment', uuid)))
  if (named && named.rail === desk.rail.name) return named
  const found = endToEndId ? await selectByReference(op, desk.rail.name, [endToEndId]) : []
  return found.length === 1 ? found[0] : undefined
}

/**
 * Applies a status to all payments of a file. Each payment records it, so a crash in between leaves the rest
 * for the next run.
 */
async function applyToFile(
  desk: Desk,
  file: BankFileRow,
  status: BankStatus,
  id: string,
  event: RailPaymentEvent,
): Promise<void> {
  if (await findRailEvent(await opOf(desk), desk.rail.name, id)) return
  await tellAll(desk, file, { id, source: 'STATUS_FILE', event, ...failureOf(status, event) })
  await decide(desk, async (op) =>
    (await findRailEvent(op, desk.rail.name, id))
      ? []
      : [
          update('bank_files', file.id, {}, { bank_status: status.status }),
          ...recordReport(op, desk.rail.name, bankEvent(id, 'file.status', status), undefined),
        ],
  )
}

function failureOf({ reasons }: BankStatus, event: RailPaymentEvent) {
  return event === 'fail' ? { failure: isoFailure(reasons[0] ?? null) } : {}
}

function hold(
  desk: Desk,
  status: BankStatus,
  id: string,
  reason: 'UNREADABLE' | 'UNKNOWN_PAYMENT' | 'BANK_WAITS',
): Promise<void> {
  const words = status.status === null ? undefined : isoStatus(status.status)?.words
  return holdRecord(desk, bankEvent(id, 'file.status', { ...status, ...present({ words }) }), reason)
}
