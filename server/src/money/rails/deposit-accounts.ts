import type { Op } from '../../kernel/operation/app.ts'
import type { DepositAccountRow } from '../../storage/rows/rail.ts'
import { deriveDepositAccountId, toPoolName } from './rail-ids.ts'
import { selectDepositAccount } from './store.ts'

/** Finds an account that a rail was asked to open. */
export async function findDepositAccount(op: Op, id: string): Promise<DepositAccountRow | undefined> {
  return selectDepositAccount(op, id)
}

/** The deposit account that all payers of a currency share at a rail. */
export async function findPool(
  op: Op,
  rail: string,
  currency: string,
): Promise<DepositAccountRow | undefined> {
  return selectDepositAccount(op, deriveDepositAccountId(rail, toPoolName(currency)))
}
