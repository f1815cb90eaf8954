import type { RailEventReason, railEvents } from '@countersign/contract/connectors/rail-events'
import { update } from '../db/commit/writes.ts'
import type { RailEventRow } from '../db/schema/rail-tables.ts'
import type { Op } from '../op/app.ts'
import { ApiError, type Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { present } from '../op/present.ts'
import { selectRailEvent, selectRailEvents } from './store.ts'

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
    const change = { state: 'RESOLVED', note: body.note, resolved_at: op.now } as const
    return {
      status: 200,
      body: railEventView({ ...row, ...change }),
      writes: [update('rail_events', row.id, { state: row.state }, change)],
    }
  },
}

/** Errors: 404 `RAIL_EVENT_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` where nobody waits for it any more. */
async function findWaiting(op: Op, id: string): Promise<RailEventRow> {
  const row = await selectRailEvent(op, id)
  if (!row || row.state === 'APPLIED')
    throw new ApiError('RAIL_EVENT_NOT_FOUND', { details: { field: 'railEventId' } })
  if (row.state === 'RESOLVED')
    throw new ApiError('INVALID_STATE_TRANSITION', { message: 'This report was resolved already.' })
  return row
}

function railEventView(row: RailEventRow) {
  return {
    ...present({ note: row.note, resolvedAt: row.resolved_at?.toISOString() }),
    id: row.id,
    status: row.state === 'RESOLVED' ? ('RESOLVED' as const) : ('WAITING' as const),
    // The database has a reason for all that was not applied.
    reason: row.reason as RailEventReason,
    rail: row.rail,
    type: row.type,
    body: row.body,
    createdAt: row.created_at.toISOString(),
  }
}
