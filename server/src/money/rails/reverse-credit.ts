import { findBalances } from '../../kernel/ledger/balances.ts'
import { type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'

/** What was taken back of an account, and what it no longer had. */
export interface TakenBack {
  readonly writes: readonly Write[]
  /** Smallest unit: what the account still had. */
  readonly taken: bigint
  /** Smallest unit: it is owed to the platform from now on. 0 where the account had all of it. */
  readonly shortfall: bigint
}

/**
 * Takes an amount of an account that the bank has taken back from us, to the leg of its rail. The rest that the account no longer has
 * is owed to the platform. Guard: the balance has not fallen meanwhile.
 * @param before taken of the account by the same write set
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
