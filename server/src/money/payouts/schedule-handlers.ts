import type { paymentSchedules } from '@countersign/contract/payments/payment-schedules'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage, type Order } from '../../kernel/operation/paging.ts'
import { castVote, readApprovalNeed } from '../../people/members/approval-votes.ts'
import { insert } from '../../storage/commit/writes.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import type { PaymentOccurrenceRow } from '../../storage/rows/payment-schedule.ts'
import { guardOwner } from '../transfers/transfers.ts'
import {
  type ChangedSchedule,
  endSchedule,
  scheduleNextRun,
  startSchedule,
  updateSchedule,
} from './change-schedule.ts'
import { draftSchedule } from './new-schedule.ts'
import { checkTransition, findSchedule, scheduleView, toOccurrenceView } from './payment-schedules.ts'
import { selectOccurrences, selectSchedules } from './schedule-store.ts'
import { skipDate } from './skip-date.ts'

const BY_NUMBER: Order<PaymentOccurrenceRow> = {
  columns: ['number', 'id'],
  getPosition: (row) => [String(row.number), row.id],
  read: (number, id) => [Number(number), extractUuid(id)],
}

export const paymentScheduleHandlers: Handlers<typeof paymentSchedules> = {
  payment_schedule_create: async (op, { body }) => {
    const { row: draft, account } = await draftSchedule(op, body)
    const approval = await readApprovalNeed(op, body.needsApproval)
    const row = approval.isNeeded ? draft : updateSchedule(op, draft, 'approve').row
    return {
      status: 201,
      body: await scheduleView(op, row),
      writes: [
        ...guardOwner(account),
        ...approval.writes,
        insert('payment_schedules', row),
        ...(approval.isNeeded ? [] : [scheduleNextRun(op, row)]),
      ],
    }
  },

  payment_schedule_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectSchedules(op, query),
      table: 'payment_schedules',
      view: (rows) => Promise.all(rows.map((row) => scheduleView(op, row))),
    }),
  }),

  payment_schedule_get: async (op, { params }) => ({
    status: 200,
    body: await scheduleView(op, await findSchedule(op, params.paymentScheduleId)),
  }),

  payment_occurrence_list: async (op, { params, query }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    const list = {
      rows: selectOccurrences(op, schedule.id, query),
      table: 'payment_occurrences',
      by: BY_NUMBER,
      view: (rows: PaymentOccurrenceRow[]) =>
        Promise.all(rows.map((row) => toOccurrenceView(op, schedule, row))),
    } as const
    // The cursor is valid only for this schedule.
    return { status: 200, body: await listPage(op, { ...query, schedule: schedule.id }, list) }
  },

  payment_schedule_approve: async (op, { params }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    checkTransition(schedule, 'approve')
    const start = await startSchedule(op, schedule, 'approve')
    const vote = await castVote(op, schedule.id)
    const { row, writes } = vote.decides ? start : updateSchedule(op, schedule, 'propose')
    return respond(op, { row, writes: [...vote.writes, ...writes] })
  },

  payment_schedule_skip: async (op, { params, body }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    checkTransition(schedule, 'pause')
    return respond(op, await skipDate(op, schedule, body.date))
  },

  payment_schedule_pause: async (op, { params }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    checkTransition(schedule, 'pause')
    return respond(op, updateSchedule(op, schedule, 'pause'))
  },

  payment_schedule_resume: async (op, { params }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    checkTransition(schedule, 'resume')
    return respond(op, await startSchedule(op, schedule, 'resume'))
  },

  payment_schedule_cancel: async (op, { params }) => {
    const schedule = await findSchedule(op, params.paymentScheduleId)
    checkTransition(schedule, 'cancel')
    return respond(op, await endSchedule(op, schedule, 'cancel'))
  },
}

async function respond(op: Op, { row, writes }: ChangedSchedule) {
  return { status: 200, body: await scheduleView(op, row), writes } as const
}
