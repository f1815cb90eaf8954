import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import type { RailEventReason, rail_event } from '@countersign/contract/connectors/rail-events'
import { insert, type Write } from '../db/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../db/read/bare-platform.ts'
import type { RailEventRow } from '../db/schema/rail-tables.ts'
import { RAIL_EVENT_APPLIED, RAIL_EVENT_WAITING } from '../db/schema/states.ts'
import type { Op } from '../op/app.ts'
import { ApiError, type ProcessorHandler } from '../op/operation.ts'
import { railEventId } from '../rails/ids.ts'
import { type Applied, applyReport } from './apply.ts'
import { selectRailEvent } from './store.ts'

/** What does a report of a statement; the others are those of payments and deposits. */
export type ApplyStatement = (
  op: Op,
  rail: string,
  statement: Extract<ConnectorEvent, { type: 'statement' }>['data'],
) => Promise<Applied>

/** What connectors report. An event takes effect once; a repeated one is answered as the first. */
export function createRailEvent(applyStatement: ApplyStatement): ProcessorHandler<typeof rail_event> {
  return {
    /** Error: 404 `NOT_FOUND`. */
    async whose({ rails, lookup }, { params }) {
      const rail = rails.find(params.rail)
      const platformId = rail && (await rails.ownerOf(rail))
      const platform = platformId && (await lookup(BARE_PLATFORM_BY_ID, platformId))
      if (!platform) throw new ApiError('NOT_FOUND')
      return { platform, actor: { kind: 'rail', rail: params.rail } }
    },

    async replay(op, { params, body }) {
      const before = await selectRailEvent(op, railEventId(params.rail, body.id))
      return before && { status: 200, body: { received: true } }
    },

    async handle(op, { params, body }) {
      const applied = await (body.type === 'statement'
        ? applyStatement(op, params.rail, body.data)
        : applyReport(op, params.rail, body))
      const kept = body.type === 'statement' ? { ...body, data: headOf(body.data) } : body
      return {
        status: 200,
        body: { received: true },
        writes: [...applied.writes, recorded(op, params.rail, kept, applied.reason)],
      }
    },

    timeout: () => undefined,
  }
}

/** A statement has its own tables: its entries are not kept twice. */
function headOf({ entries, ...head }: Extract<ConnectorEvent, { type: 'statement' }>['data']) {
  return { ...head, entries: entries.length }
}

/** A report as it is kept. Guard: no other run has recorded it. */
export function recorded(
  op: Op,
  rail: string,
  event: { readonly id: string; readonly type: string },
  reason: RailEventReason | undefined,
): Write {
  return insert('rail_events', railEventRow(op, rail, event, reason))
}

/** A report as a row. */
export function railEventRow(
  op: Op,
  rail: string,
  event: { readonly id: string; readonly type: string },
  reason: RailEventReason | undefined,
): RailEventRow {
  return {
    id: railEventId(rail, event.id),
    platform_id: op.platform.id,
    rail,
    type: event.type,
    body: { ...event },
    state: reason === undefined ? RAIL_EVENT_APPLIED : RAIL_EVENT_WAITING,
    reason: reason ?? null,
    note: null,
    resolved_at: null,
    created_at: op.now,
  }
}
