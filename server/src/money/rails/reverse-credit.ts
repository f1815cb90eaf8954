import { findBalances } from '../../kernel/ledger/balances.ts'
import { type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'

/** The amount taken back from an account, and the missing amount. */
export interface TakenBack {
  readonly writes: readonly Write[]
  /** In the smallest unit: the amount that was available. */
  readonly taken: bigint
  /**
   * In the smallest unit: the amount that is now owed to the platform. 0 if the account had the whole amount.
   */
  readonly shortfall: bigint
}

/**
 * Takes money that the bank has taken back from us from the credited account, and posts it to the rail's leg.
 * Any shortfall is owed to the platform. Guard: the available balance is still sufficient.
 * @param before the amount that the same write set has already taken from the account
 */
export async function takeBack(
  op: Op,
  cause: Cause,
  { id, currency }: Pick<InternalAccountRow, 'id' | 'currency'>,
  to: Leg,
  before = 0n,
): Promise<TakenBack> {
  const { amount } = to
  const available = ((await findBalances(op, [id])).get(id)?.available ?? 0n) - before
  const taken = available < amount ? available : amount
  const shortfall = amount - taken
  return {
    taken,
    shortfall,
    writes: post(op, cause, [
      { account: id, currency, amount: -taken },
      { system: 'receivables', currency, amount: -shortfall },
      to,
    ]),
  }
}
