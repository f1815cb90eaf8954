import type { TreasuryDirection } from '@countersign/contract/operation/treasury'
import type { TreasuryKeyState, TreasuryMovementState } from '@countersign/contract/states/own-money-states'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { TreasuryKeyRow, TreasuryMovementRow } from '../../storage/rows/own-money.ts'

export interface MovementFilters {
  readonly status?: TreasuryMovementState
  readonly direction?: TreasuryDirection
}

export function selectMovements(op: Op, { status, direction }: MovementFilters) {
  return op.read
    .selectFrom('treasury_movements')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'direction', '=', direction))
}

const BY_ID = lookupById('treasury_movements')

export async function selectMovement(op: Op, id: string): Promise<TreasuryMovementRow | undefined> {
  return op.find(BY_ID, id)
}

/** The amount sent to a rail's cold storage but not booked yet, in the smallest unit. */
export async function selectSumSent(op: Op, rail: string, currency: string): Promise<bigint> {
  const rows = await selectMovements(op, { status: 'SENT', direction: 'TO_COLD_STORAGE' })
    .where('rail', '=', rail)
    .where('currency', '=', currency)
    .execute()
  return rows.reduce((sum, { amount }) => sum + amount, 0n)
}

export function selectKeys(op: Op, { status }: { readonly status?: TreasuryKeyState }) {
  return op.read
    .selectFrom('treasury_keys')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'state', '=', status))
}

/** The treasury keys of a rail. */
export function selectRailKeys(op: Op, rail: string): Promise<TreasuryKeyRow[]> {
  return selectKeys(op, {}).where('rail', '=', rail).execute()
}

const KEY_BY_ID = lookupById('treasury_keys')

export async function selectKey(op: Op, id: string): Promise<TreasuryKeyRow | undefined> {
  return op.find(KEY_BY_ID, id)
}
