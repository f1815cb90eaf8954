import type { LedgerWrite } from '../../storage/commit/writes.ts'
import { TRANSFER_INITIAL, TRANSFER_TRANSITIONS } from '../../storage/rows/states.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import type { Op } from '../operation/app.ts'
import { openSystemAccount, type Place, resolveAccountId } from './accounts.ts'

/**
 * The double-entry ledger. Only this folder creates ledger writes; `schema/functions/ledger-*.ts` execute
 * them, and `baseline/ledger.ts` has the constraints. The amounts of legs are signed: a credit is positive, a
 * debit negative.
 */

/** The record that caused a movement, identified by kind and id. */
export interface Cause {
  readonly cause:
    | 'card_transaction'
    | 'deposit'
    | 'match'
    | 'quote'
    | 'sandbox_fund'
    | 'statement'
    | 'transaction'
    | 'treasury_movement'
  readonly causeId: string
}

/** One side of a movement: an internal account by id, or a platform account by kind. */
export type Leg = Place & { readonly amount: bigint }

/** The legs of money arriving on an account through a rail, or leaving it if the amount is negative. */
export function buildArrivalLegs(
  { id, currency }: Pick<InternalAccountRow, 'id' | 'currency'>,
  amount: bigint,
  rail?: string,
): Leg[] {
  return [
    { account: id, currency, amount },
    { system: 'rail', rail, currency, amount: -amount },
  ]
}

const { post: POSTED } = TRANSFER_TRANSITIONS[TRANSFER_INITIAL]

/** Posts a movement. Its legs must sum to zero per currency; zero legs are skipped. */
export function post(op: Op, cause: Cause, legs: readonly Leg[]): LedgerWrite[] {
  return splitMovement(legs).flatMap((pair) => transfer(op, cause, pair))
}

/** A transfer from one place to another. */
interface Pair {
  readonly from: Place
  readonly to: Place
  readonly amount: bigint
}

/** Splits a movement into transfers. Each debit is matched with the credits of its currency, in order. */
export function splitMovement(legs: readonly Leg[]): Pair[] {
  const remaining = legs.map((leg) => ({ leg, amount: leg.amount }))
  const pairs: Pair[] = []
  for (const debit of remaining) {
    for (const credit of remaining) {
      if (debit.amount >= 0n) break
      if (credit.amount <= 0n || credit.leg.currency !== debit.leg.currency) continue
      const amount = credit.amount < -debit.amount ? credit.amount : -debit.amount
      debit.amount += amount
      credit.amount -= amount
      pairs.push({ from: debit.leg, to: credit.leg, amount })
    }
  }
  if (remaining.some(({ amount }) => amount !== 0n))
    throw new Error('The legs of a movement must sum to zero per currency')
  return pairs
}

/** Creates a posted transfer, and opens the platform accounts it needs. */
export function transfer(op: Op, cause: Cause, { from, to, amount }: Pair): LedgerWrite[] {
  const opens = [from, to].flatMap((place) => ('system' in place ? [openSystemAccount(op, place)] : []))
  return [
    ...opens,
    {
      write: 'transfer',
      state: POSTED,
      id: op.newId('LedgerTransfer'),
      platformId: op.platform.id,
      debit: resolveAccountId(op, from),
      credit: resolveAccountId(op, to),
      currency: from.currency,
      amount,
      at: op.now,
      ...cause,
    },
  ]
}
