import type { DepositAccountRow } from '../db/schema/rail-tables.ts'
import type { Op } from '../op/app.ts'
import { depositAccountId, poolOf } from './ids.ts'
import { selectDepositAccount } from './store.ts'

/** What a rail was asked to open under this id, if it was. */
export async function findDepositAccount(op: Op, id: string): Promise<DepositAccountRow | undefined> {
  return selectDepositAccount(op, id)
}

/** What all payers of a currency pay in to by a rail. */
export async function findPool(
  op: Op,
  rail: string,
  currency: string,
): Promise<DepositAccountRow | undefined> {
  return selectDepositAccount(op, depositAccountId(rail, poolOf(currency)))
}
