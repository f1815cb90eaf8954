import type { RailEventReason, railEvents } from '@countersign/contract/connectors/rail-events'
import type { sandboxDeposits } from '@countersign/contract/sandbox/sandbox-deposits'
import { insert } from '../db/commit/writes.ts'
import type { RailEventRow } from '../db/schema/rail-tables.ts'
import { RAIL_EVENT_APPLIED, RAIL_EVENT_TRANSITIONS, RAIL_EVENT_WAITING } from '../db/schema/states.ts'
import type { Op } from '../op/app.ts'
import { ApiError, type Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { present } from '../op/present.ts'
import { nextState, transition } from '../op/transition.ts'
import { SANDBOX_RAIL } from '../ports/rail.ts'
import { applyReport } from './apply.ts'
import { railEventRow } from './receive.ts'
import { selectRailEvent, selectRailEvents } from './store.ts'

const RESOLVED = RAIL_EVENT_TRANSITIONS[RAIL_EVENT_WAITING].resolve

/** What a bank of the sandbox reports, by the one door. */
export const sandboxRailEventHandlers: Pick<Handlers<typeof sandboxDeposits>, 'sandbox_rail_event'> = {
  sandbox_rail_event: async (op, { body }) => {
    const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: body.message } as const
    const report = {
      id: op.newId('RailEvent'),
      occurredAt: op.now.toISOString(),
      type: body.type,
      data: { id: body.paymentId, failure },
    }
    const { writes, reason } = await applyReport(op, SANDBOX_RAIL, report)
    const row = railEventRow(op, SANDBOX_RAIL, report, reason)
    return { status: 201, body: railEventView(row), writes: [...writes, insert('rail_events', row)] }
  },
}

export const railEventHandlers: Handlers<typeof railEvents> = {
  rail_event_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectRailEvents(op, query),
      table: 'rail_events',
      view: (rows) => rows.map(railEventView),
    }),
  }),

  rail_event_resolve: async (op, { params, body }) => {
    const row = await findWaiting(op, params.railEventId)
    const change = { note: body.note, resolved_at: op.now }
    const moved = transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, row, 'resolve', change)
    return { status: 200, body: railEventView(moved.row), writes: [moved.write] }
  },
}

/** Errors: 404 `RAIL_EVENT_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` where nobody waits for it any more. */
async function findWaiting(op: Op, id: string): Promise<RailEventRow> {
  const row = await selectRailEvent(op, id)
  if (!row || row.state === RAIL_EVENT_APPLIED)
    throw new ApiError('RAIL_EVENT_NOT_FOUND', { details: { field: 'railEventId' } })
  if (nextState(RAIL_EVENT_TRANSITIONS, row.state, 'resolve') === null)
    throw new ApiError('INVALID_STATE_TRANSITION', { message: 'This report was resolved already.' })
  return row
}

function railEventView(row: RailEventRow) {
  return {
    ...present({ note: row.note, resolvedAt: row.resolved_at?.toISOString() }),
    id: row.id,
    status: row.resolved_at === null ? RAIL_EVENT_WAITING : RESOLVED,
    // The database has a reason for all that was not applied.
    reason: row.reason as RailEventReason,
    rail: row.rail,
    type: row.type,
    body: row.body,
    createdAt: row.created_at.toISOString(),
  }
}
