import type { RailEventRow } from '../db/schema/rail-tables.ts'
import type { Op } from '../op/app.ts'
import { railEventId } from '../rails/ids.ts'
import { selectRailEvent } from './store.ts'

/** The report with this id, if there is one. */
export async function findRailEventById(op: Op, id: string): Promise<RailEventRow | undefined> {
  return selectRailEvent(op, id)
}

/** A report that was recorded, by the rail's own id of it. */
export async function findRailEvent(
  op: Op,
  rail: string,
  eventId: string,
): Promise<RailEventRow | undefined> {
  return selectRailEvent(op, railEventId(rail, eventId))
}
