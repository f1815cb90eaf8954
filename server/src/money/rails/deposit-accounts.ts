import type { Op } from '../../kernel/operation/app.ts'
import type { DepositAccountRow } from '../../storage/rows/rail.ts'
import { depositAccountId, poolOf } from './rail-ids.ts'
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
