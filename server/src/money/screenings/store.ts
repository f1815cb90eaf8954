import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import type { ScreeningState } from '@countersign/contract/states/screening-states'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { ScreeningRow } from '../../storage/rows/screening.ts'

const BY_ID = lookupById('screenings')

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
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'direction', '=', direction))
    .selectAll()
}
