import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'

const EVENT_BY_ID = lookupById('rail_events')

export async function selectRailEvent(op: Op, id: string): Promise<RailEventRow | undefined> {
  return op.find(EVENT_BY_ID, id)
}

/** A page of the rails' reports in one state, newest first. */
export function selectRailEvents(
  op: Op,
  { status, rail }: { readonly status?: RailEventRow['state']; readonly rail?: string },
) {
  return op.read
    .selectFrom('rail_events')
    .where('platform_id', '=', op.platform.id)
    .where('state', '<>', 'APPLIED')
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'rail', '=', rail))
    .selectAll()
}
