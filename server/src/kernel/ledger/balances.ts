import { INT64_MAX, INT64_MIN } from '../../base/json/int64.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import type { LedgerAccountRow } from '../../storage/rows/ledger.ts'
import type { Op } from '../operation/app.ts'
import { createFieldError } from '../operation/operation.ts'
import { type Place, resolveAccountId, type SystemAccount, toSystemAccountId } from './accounts.ts'
import type { Leg } from './transfers.ts'

/** The available and total balance of an account, in the smallest unit. */
export interface Balance {
  readonly available: bigint
  readonly total: bigint
}

/**
 * True if every balance fits int64 after these legs; otherwise the database would fail. The legs must name
 * each account at most once.
 */
export async function fitsBalance(op: Op, legs: readonly Leg[]): Promise<boolean> {
  const accounts = await Promise.all(legs.map((leg) => op.find(BY_ID, resolveAccountId(op, leg))))
  return legs.every((leg, index) => {
    const account = accounts[index]
    const change = account?.normal_side === 'debit' ? -leg.amount : leg.amount
    const newBalance = (account?.posted ?? 0n) + change
    return INT64_MIN <= newBalance && newBalance <= INT64_MAX
  })
}

/**
 * True if every balance stays within its range after these writes, in any order. Movements that fit one by
 * one may not fit together.
 */
export async function fitBalancesTogether(op: Pick<Op, 'find'>, writes: readonly Write[]): Promise<boolean> {
  const sumsByAccount = new Map<string, { credited: bigint; debited: bigint }>()
  const findSums = (id: string) => {
    const sums = sumsByAccount.get(id) ?? { credited: 0n, debited: 0n }
    sumsByAccount.set(id, sums)
    return sums
  }
  for (const write of writes) {
    if ((write.write !== 'transfer' && write.write !== 'end') || write.state !== 'posted') continue
    findSums(write.credit).credited += write.amount
    findSums(write.debit).debited += write.amount
  }
  const fits = await Promise.all(
    [...sumsByAccount].map(async ([id, { credited, debited }]) => {
      const account = await op.find(BY_ID, id)
      const posted = account?.posted ?? 0n
      const [increase, decrease] =
        account?.normal_side === 'debit' ? [debited, credited] : [credited, debited]
      return posted + increase <= INT64_MAX && posted - decrease >= INT64_MIN
    }),
  )
  return fits.every(Boolean)
}

/** Throws 400 `AMOUNT_OUT_OF_RANGE`, naming `field`, if these legs would make a balance exceed int64. */
export async function checkFitsBalance(op: Op, legs: readonly Leg[], field: string): Promise<void> {
  if (!(await fitsBalance(op, legs)))
    throw createFieldError('AMOUNT_OUT_OF_RANGE', field, 'The balance of the account would be too large.')
}

/** Balances by account id, without accounts that are not open. */
export async function findBalances(
  op: Pick<Op, 'find'>,
  accountIds: readonly string[],
): Promise<Map<string, Balance>> {
  const rows = await Promise.all(accountIds.map((id) => op.find(BY_ID, id)))
  return new Map(
    rows.flatMap((row) => (row ? [[row.id, { available: row.posted - row.held, total: row.posted }]] : [])),
  )
}

/**
 * The platform's own accounts of one kind in these currencies, with posted balances on the normal side.
 * Accounts that were never opened are omitted.
 */
export async function findSystemAccounts(
  op: Op,
  system: SystemAccount,
  currencies: readonly string[],
): Promise<Pick<LedgerAccountRow, 'id' | 'currency' | 'posted'>[]> {
  const rows = await Promise.all(
    currencies.map((currency) => op.find(BY_ID, toSystemAccountId(op.platform.id, system, currency))),
  )
  return rows.filter((row) => row !== undefined)
}

/**
 * The posted balance of an account on its normal side, in the smallest unit. 0 if the account was never
 * opened.
 */
export async function findLedgerBalance(op: Op, place: Place): Promise<bigint> {
  return (await op.find(BY_ID, resolveAccountId(op, place)))?.posted ?? 0n
}

const BY_ID = lookupByKey<
  Pick<LedgerAccountRow, 'id' | 'platform_id' | 'currency' | 'normal_side' | 'posted' | 'held'>
>(
  'SELECT id, platform_id, currency, normal_side, posted, held FROM ledger_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)
