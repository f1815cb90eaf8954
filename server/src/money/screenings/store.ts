import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import type { ScreeningState } from '@countersign/contract/states/screening-states'
import type { Op } from '../../kernel/operation/app.ts'
import { rowById } from '../../storage/read/lookup.ts'
import { whereGiven } from '../../storage/read/where-given.ts'
import type { ScreeningRow } from '../../storage/rows/screening.ts'

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
