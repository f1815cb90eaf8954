import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { deriveLineReportId } from '../rails/rail-ids.ts'
import { findRailEvent } from './rail-events.ts'

/** Reports that hold statement lines for manual review. Their ids derive from the line's name. */

/**
 * Resolves the waiting reports about these lines, so that an operator who has handled a line need not also
 * close its report. Guard: none of the reports was resolved in the meantime.
 */
export async function resolveLineReports(
  op: Op,
  rail: string,
  names: readonly string[],
  note: string,
): Promise<readonly Write[]> {
  const change = { note, resolved_at: op.now }
  return (await findLineReports(op, rail, names))
    .filter(({ state }) => state === RAIL_EVENT_INITIAL)
    .map((report) => transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write)
}

/** Reopens the reports about these lines that `resolveLineReports` resolved with this note. */
export async function reopenLineReports(
  op: Op,
  rail: string,
  names: readonly string[],
  note: string,
): Promise<readonly Write[]> {
  const change = { note: null, resolved_at: null }
  return (await findLineReports(op, rail, names))
    .filter((report) => report.state === 'RESOLVED' && report.note === note)
    .map((report) => transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'reopen', change).write)
}

async function findLineReports(op: Op, rail: string, names: readonly string[]): Promise<RailEventRow[]> {
  const reports = await Promise.all(names.map((name) => findRailEvent(op, rail, deriveLineReportId(name))))
  return reports.filter((report) => report !== undefined)
}
