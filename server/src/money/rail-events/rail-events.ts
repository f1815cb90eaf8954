import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { deriveRailEventId } from '../rails/rail-ids.ts'
import type { Applied } from './apply-evidence.ts'
import { buildRetryWrites } from './retry-report.ts'
import { selectRailEvent } from './store.ts'

/** The record's own amount and the decision, shown next to a waiting report. */
type ReportContext = Pick<Applied, 'expected' | 'decision'>

/** Applies a reported statement. `applyEvent` applies all other events. */
export type ApplyStatement = (
  op: Op,
  rail: string,
  statement: Extract<ConnectorEvent, { type: 'statement' }>['data'],
) => Promise<Applied>

/** Finds a report by its id. */
export async function findRailEventById(op: Op, id: string): Promise<RailEventRow | undefined> {
  return selectRailEvent(op, id)
}

/** Finds a recorded report by its id at the rail. */
export async function findRailEvent(
  op: Op,
  rail: string,
  eventId: string,
): Promise<RailEventRow | undefined> {
  return selectRailEvent(op, deriveRailEventId(rail, eventId))
}

/**
 * Records a report, and schedules a retry if the report may have arrived too early. With a `reason` it waits
 * for manual review, which also shows `context`. Guard: the report is not recorded yet.
 */
export function recordReport(
  op: Op,
  rail: string,
  event: { readonly id: string; readonly type: string },
  reason: RailEventReason | undefined,
  context: ReportContext = {},
): Write[] {
  const row = buildRailEventRow(op, rail, event, reason, context)
  return [insert('rail_events', row), ...buildRetryWrites(op, row)]
}

/** Records a report that waits for manual review. Does nothing if it is already recorded. */
export async function recordOnce(
  op: Op,
  rail: string,
  event: { readonly id: string; readonly type: string },
  reason: RailEventReason,
  context: ReportContext = {},
): Promise<Write[]> {
  return (await findRailEvent(op, rail, event.id)) ? [] : recordReport(op, rail, event, reason, context)
}

export function buildRailEventRow(
  op: Op,
  rail: string,
  event: { readonly id: string; readonly type: string },
  reason: RailEventReason | undefined,
  { expected, decision }: ReportContext = {},
): RailEventRow {
  return {
    id: deriveRailEventId(rail, event.id),
    platform_id: op.platform.id,
    rail,
    type: event.type,
    body: { ...event, ...present({ expected, decision }) },
    state: reason === undefined ? RAIL_EVENT_TRANSITIONS[RAIL_EVENT_INITIAL].apply : RAIL_EVENT_INITIAL,
    reason: reason ?? null,
    note: null,
    resolved_at: null,
    created_at: op.now,
  }
}
