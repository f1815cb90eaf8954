import { findBalances } from '../../kernel/ledger/balances.ts'
import { type Cause, type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'

/** The debited amount and the shortfall, with the writes. */
export interface ReversedCredit {
  readonly writes: readonly Write[]
  /** The debited amount, in the smallest unit. At most the available balance. */
  readonly taken: bigint
  /**
   * The amount that is now owed to the platform, in the smallest unit. 0 if the balance covered the whole
   * amount.
   */
  readonly shortfall: bigint
}

/**
 * Debits the credited account after the bank has reversed a payment, and posts the amount to the rail's leg.
 * Any shortfall is owed to the platform. Guard: the available balance is still sufficient.
 * @param alreadyTaken the amount that the same write set has already debited from the account
 */
export async function takeBack(
  op: Op,
  cause: Cause,
  { id, currency }: Pick<InternalAccountRow, 'id' | 'currency'>,
  to: Leg,
  alreadyTaken = 0n,
): Promise<ReversedCredit> {
  const { amount } = to
  const available = ((await findBalances(op, [id])).get(id)?.available ?? 0n) - alreadyTaken
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
