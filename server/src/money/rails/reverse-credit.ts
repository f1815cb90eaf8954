import { findBalances } from '../../kernel/ledger/balances.ts'
import { type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'

/** The amount taken back from an account, and the missing amount. */
export interface TakenBack {
  readonly writes: readonly Write[]
  /** Smallest unit: the available part. */
  readonly taken: bigint
  /** Smallest unit: the part that is now owed to the platform. 0 if the account had all of it. */
  readonly shortfall: bigint
}

/**
 * Takes from an account an amount that the bank has taken back from us, to the leg of its rail. Any missing
 * rest is owed to the platform. Guard: the balance has not fallen in the meantime.
 * @param before taken from the account by the same write set
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
