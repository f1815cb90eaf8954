import type { screenings } from '@countersign/contract/payments/screenings'
import { SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { ScreeningRow } from '../../storage/rows/screening.ts'
import { schedulePayment } from './screen-payment.ts'
import { decideScreening, findScreening, toScreeningView } from './screenings.ts'
import { selectScreenings } from './store.ts'

export const screeningHandlers: Handlers<typeof screenings> = {
  screening_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectScreenings(op, query),
      table: 'screenings',
      view: (rows) => rows.map(toScreeningView),
    }),
  }),

  screening_get: async (op, { params }) => ({
    status: 200,
    body: toScreeningView(await findScreening(op, params.screeningId)),
  }),

  screening_release: (op, { params, body }) => decide(op, params.screeningId, 'release', body?.note),

  screening_reject: (op, { params, body }) => decide(op, params.screeningId, 'reject', body?.note),
}

/**
 * Throws 404 `SCREENING_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` if the screening is not waiting for a
 * decision, 403 `FORBIDDEN` from `castVote`.
 */
async function decide(op: Op, id: string, decision: 'release' | 'reject', note: string | undefined) {
  const row = await findScreening(op, id)
  checkEvent(
    SCREENING_TRANSITIONS,
    row.state,
    decision,
    `This screening is ${row.state}. Only a WAITING screening can be decided.`,
  )
  const vote = decision === 'release' ? await castVote(op, row.id) : undefined
  if (vote && !vote.decides) {
    const waitingGuard = expectRow('screenings', row.id, { state: row.state })
    return { status: 200, body: toScreeningView(row), writes: [...vote.writes, waitingGuard] } as const
  }
  const decided = decideScreening(op, row, decision, note)
  const writes = [...(vote?.writes ?? []), ...decided.writes, await resumePayment(op, row)]
  return { status: 200, body: toScreeningView(decided.row), writes } as const
}

/** Schedules the job that continues the payment or deposit according to the decision. */
async function resumePayment(op: Op, { transaction_id, deposit_id }: ScreeningRow): Promise<Write> {
  if (transaction_id !== null) return schedulePayment(op, transaction_id)
  if (deposit_id === null) throw new Error('The screening has no payment and no deposit')
  return job(op, 'deposit.screened', { depositId: deposit_id }, op.now)
}
