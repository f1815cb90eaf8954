import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { findRailEvent } from './rail-events.ts'

/** Reports of statement lines that wait for a person, by the name of their line. */

const WAITS = ' waits'

/** The id of a waiting line's report. */
export function reportOfLine(name: string): string {
  return `${name}${WAITS}`
}

/** The name of the line that a waiting line's report is about. */
export function lineOfReport(id: string): string {
  return id.slice(0, -WAITS.length)
}

/**
 * The writes that resolve the waiting reports of these lines: a person who has closed the lines need not also
 * close their reports. Guard: none was resolved in the meantime.
 */
export async function resolveLineReports(
  op: Op,
  rail: string,
  names: readonly string[],
  note: string,
): Promise<readonly Write[]> {
  const change = { note, resolved_at: op.now }
  return (await reportsOfLines(op, rail, names))
    .filter(({ state }) => state === RAIL_EVENT_INITIAL)
    .map((report) => transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write)
}

/** The writes that let the reports of these lines wait again which `resolveLineReports` has resolved with this note. */
export async function reopenLineReports(
  op: Op,
  rail: string,
  names: readonly string[],
  note: string,
): Promise<readonly Write[]> {
  const change = { note: null, resolved_at: null }
  return (await reportsOfLines(op, rail, names))
    .filter((report) => report.state === 'RESOLVED' && report.note === note)
    .map((report) => transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'reopen', change).write)
}

async function reportsOfLines(op: Op, rail: string, names: readonly string[]): Promise<RailEventRow[]> {
  const reports = await Promise.all(names.map((name) => findRailEvent(op, rail, reportOfLine(name))))
  return reports.filter((report) => report !== undefined)
}
