import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { PaymentOccurrenceRow, PaymentScheduleRow } from '../../storage/rows/payment-schedule.ts'
import { Velocity } from '../rails/velocity.ts'
import { draftTransferOut } from '../transfers/transfer-out.ts'
import { beginTransfer, type TransferDraft } from '../transfers/transfers.ts'
import {
  advanceSchedule,
  decideOccurrence,
  endSchedule,
  findAnnouncedOccurrence,
  newOccurrence,
  requireNextDate,
  scheduleNextRun,
  updateSchedule,
} from './change-schedule.ts'
import { type Fault, toFault } from './judge-line.ts'
import { toOccurrenceView } from './payment-schedules.ts'
import { selectSchedule } from './schedule-store.ts'

/** The maximum delay of a payment. On a running server, jobs are late only by seconds. */
const MISSED_AFTER_SECONDS = 3600

/**
 * Announces the next date of a schedule, or pays it when it is due. Payment, outcome and the step to the next
 * date are one write set, guarded by the schedule's version, so no date is paid twice. A job for any other
 * date is obsolete after a skip or a pause, and does nothing.
 */
export const runSchedule: JobHandler<'payment-schedule.run'> = async (op, { scheduleId, date }) => {
  const schedule = await selectSchedule(op, scheduleId)
  if (schedule?.state !== 'ACTIVE' || schedule.next_date !== date) return []
  const { at } = requireNextDate(schedule)
  if (!schedule.is_announced)
    return op.now < addSeconds(at, -schedule.notice_seconds)
      ? [scheduleNextRun(op, schedule)]
      : announceOccurrence(op, schedule)
  if (op.now < at) return [scheduleNextRun(op, schedule)]
  const occurrence = await findAnnouncedOccurrence(op, schedule)
  if (schedule.if_missed === 'SKIP' && op.now > addSeconds(at, MISSED_AFTER_SECONDS))
    return missOccurrence(op, schedule, occurrence)
  return payOccurrence(op, schedule, occurrence)
}

async function announceOccurrence(op: Op, schedule: PaymentScheduleRow): Promise<readonly Write[]> {
  const occurrence = newOccurrence(op, schedule, requireNextDate(schedule))
  const { row, writes } = updateSchedule(op, schedule, [], { is_announced: true })
  return [
    ...writes,
    insert('payment_occurrences', occurrence),
    event(op, 'PAYMENT_SCHEDULE.UPCOMING', schedule.id, await toOccurrenceView(op, row, occurrence)),
    scheduleNextRun(op, row),
  ]
}

async function payOccurrence(
  op: Op,
  schedule: PaymentScheduleRow,
  occurrence: PaymentOccurrenceRow,
): Promise<readonly Write[]> {
  const outcome = await draftOccurrence(op, schedule)
  if ('code' in outcome) return refuseOccurrence(op, schedule, occurrence, outcome)
  const { transaction, writes } = beginTransfer(op, outcome.draft, outcome.velocityWrites)
  const sentOccurrence = decideOccurrence(op, occurrence, 'send', { transaction_id: transaction.id })
  return [
    ...writes,
    sentOccurrence.write,
    ...advanceSchedule(op, schedule).writes,
    event(op, 'PAYMENT_SCHEDULE.SENT', schedule.id, await toOccurrenceView(op, schedule, sentOccurrence.row)),
  ]
}

interface PayableDraft {
  readonly draft: TransferDraft
  readonly velocityWrites: readonly Write[]
}

/** Drafts the payment like POST /transfer-out, or returns the fault that prevents it. */
async function draftOccurrence(op: Op, schedule: PaymentScheduleRow): Promise<PayableDraft | Fault> {
  const { payment_rail: paymentRail, remittance_information: remittanceInformation } = schedule
  try {
    const payment = await draftTransferOut(op, {
      source: { accountId: schedule.source_account_id },
      destination: {
        accountId: schedule.destination_account_id,
        ...(paymentRail === null ? {} : { paymentRail }),
      },
      amount: schedule.amount,
      ...(remittanceInformation === null ? {} : { remittanceInformation }),
    })
    return { draft: payment, velocityWrites: await new Velocity(op).admit(payment.transaction) }
  } catch (error) {
    return toFault(error)
  }
}

/**
 * Records that a payment was refused. The payment is not retried; the schedule continues with its next date,
 * or ends if its customer was deleted.
 */
async function refuseOccurrence(
  op: Op,
  schedule: PaymentScheduleRow,
  occurrence: PaymentOccurrenceRow,
  fault: Fault,
): Promise<readonly Write[]> {
  const failedOccurrence = decideOccurrence(op, occurrence, 'fail', fault)
  const after =
    fault.code === 'CUSTOMER_DELETED'
      ? await endSchedule(op, { ...schedule, is_announced: false }, 'end')
      : advanceSchedule(op, schedule)
  return [
    failedOccurrence.write,
    ...after.writes,
    event(
      op,
      'PAYMENT_SCHEDULE.FAILED',
      schedule.id,
      await toOccurrenceView(op, schedule, failedOccurrence.row),
    ),
  ]
}

async function missOccurrence(
  op: Op,
  schedule: PaymentScheduleRow,
  occurrence: PaymentOccurrenceRow,
): Promise<readonly Write[]> {
  const missedOccurrence = decideOccurrence(op, occurrence, 'miss')
  return [
    missedOccurrence.write,
    ...advanceSchedule(op, schedule).writes,
    event(
      op,
      'PAYMENT_SCHEDULE.FAILED',
      schedule.id,
      await toOccurrenceView(op, schedule, missedOccurrence.row),
    ),
  ]
}
