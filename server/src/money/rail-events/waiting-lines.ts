import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { findRailEvent } from './rail-events.ts'

/** Reports of statement lines that wait for a person, by the name of their line. */

const WAITS = ' waits'

/** The id of the report of a waiting line. */
export function reportOfLine(name: string): string {
  return `${name}${WAITS}`
}

/** The name of the line that a report of a waiting line is about. */
export function lineOfReport(id: string): string {
  return id.slice(0, -WAITS.length)
}

/**
 * The writes that resolve the waiting reports of these lines: a person has closed the lines, and need not close their reports
 * too. Guard: none was resolved in the meantime.
 */
export async function resolveLineReports(
  op: Op,
  rail: string,
  names: readonly string[],
  note: string,
): Promise<readonly Write[]> {
  const reports = await Promise.all(names.map((name) => findRailEvent(op, rail, reportOfLine(name))))
  const change = { note, resolved_at: op.now }
  return reports.flatMap((report) =>
    report?.state === RAIL_EVENT_INITIAL
      ? [transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, report, 'resolve', change).write]
      : [],
  )
}
