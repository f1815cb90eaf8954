import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
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
  findAnnounced,
  newOccurrence,
  nextRun,
  requireNextDate,
  updateSchedule,
} from './change-schedule.ts'
import { type Fault, faultOf } from './judge-line.ts'
import { occurrenceView } from './payment-schedules.ts'
import { selectSchedule } from './schedule-store.ts'

/** A payment that would be later than this is not made. Jobs of a running server are only seconds late. */
const MISSED_AFTER_SECONDS = 3600

/**
 * Announces the next date of a schedule, or pays it when its time has come; the payment, its outcome and the
 * step to the next date are one write set, guarded by the version of the schedule. So no date is paid twice
 * after a crash, by a second run or by another process. A job for any other date is obsolete after a skip or
 * a pause, and does nothing.
 */
export const runSchedule: JobHandler<'payment-schedule.run'> = async (op, { scheduleId, date }) => {
  const schedule = await selectSchedule(op, scheduleId)
  if (schedule?.state !== 'ACTIVE' || schedule.next_date !== date) return []
  const { at } = requireNextDate(schedule)
  if (!schedule.is_announced)
    return op.now < plusSeconds(at, -schedule.notice_seconds)
      ? [nextRun(op, schedule)]
      : announce(op, schedule)
  if (op.now < at) return [nextRun(op, schedule)]
  const occurrence = await findAnnounced(op, schedule)
  if (schedule.if_missed === 'SKIP' && op.now > plusSeconds(at, MISSED_AFTER_SECONDS))
    return miss(op, schedule, occurrence)
  return pay(op, schedule, occurrence)
}

async function announce(op: Op, schedule: PaymentScheduleRow): Promise<readonly Write[]> {
  const occurrence = newOccurrence(op, schedule, requireNextDate(schedule))
  const { row, writes } = updateSchedule(op, schedule, [], { is_announced: true })
  return [
    ...writes,
    insert('payment_occurrences', occurrence),
    event(op, 'PAYMENT_SCHEDULE.UPCOMING', schedule.id, await occurrenceView(op, row, occurrence)),
    nextRun(op, row),
  ]
}

async function pay(
  op: Op,
  schedule: PaymentScheduleRow,
  occurrence: PaymentOccurrenceRow,
): Promise<readonly Write[]> {
  const outcome = await draft(op, schedule)
  if ('code' in outcome) return refuse(op, schedule, occurrence, outcome)
  const { transaction, writes } = beginTransfer(op, outcome.draft, outcome.counted)
  const sentOccurrence = decideOccurrence(op, occurrence, 'send', { transaction_id: transaction.id })
  return [
    ...writes,
    sentOccurrence.write,
    ...advanceSchedule(op, schedule).writes,
    event(op, 'PAYMENT_SCHEDULE.SENT', schedule.id, await occurrenceView(op, schedule, sentOccurrence.row)),
  ]
}

interface Payable {
  readonly draft: TransferDraft
  readonly counted: readonly Write[]
}

/** Drafts the payment like POST /transfer-out, or returns why it is refused. */
async function draft(op: Op, schedule: PaymentScheduleRow): Promise<Payable | Fault> {
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
    return { draft: payment, counted: await new Velocity(op).admit(payment.transaction) }
  } catch (error) {
    return faultOf(error)
  }
}

/**
 * Records that a payment was refused. It is not retried later, and the schedule continues with its next date,
 * or ends if its customer was deleted.
 */
async function refuse(
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
      await occurrenceView(op, schedule, failedOccurrence.row),
    ),
  ]
}

async function miss(
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
      await occurrenceView(op, schedule, missedOccurrence.row),
    ),
  ]
}
