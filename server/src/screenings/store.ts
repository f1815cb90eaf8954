import type { ScreeningState } from '@countersign/contract/core/screening-states'
import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import { rowById } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { ScreeningRow } from '../db/schema/screening-tables.ts'
import type { Op } from '../op/app.ts'

const BY_ID = rowById('screenings')

export async function selectScreening(op: Op, id: string): Promise<ScreeningRow | undefined> {
  return op.find(BY_ID, id)
}

export interface ScreeningFilters {
  readonly status?: ScreeningState
  readonly direction?: ScreeningDirection
}

/** A page of the matching screenings. */
export function selectScreenings(op: Op, { status, direction }: ScreeningFilters) {
  return op.read
    .selectFrom('screenings')
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereGiven(q, 'state', '=', status))
    .$call((q) => whereGiven(q, 'direction', '=', direction))
    .selectAll()
}
