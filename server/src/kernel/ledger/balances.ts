import { INT64_MAX, INT64_MIN } from '../../base/json/int64.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { rowByKey } from '../../storage/read/lookup.ts'
import type { LedgerAccountRow } from '../../storage/rows/ledger.ts'
import type { Op } from '../operation/app.ts'
import { fieldError } from '../operation/operation.ts'
import { accountId, type Place, type SystemAccount, systemAccountId } from './accounts.ts'
import type { Leg } from './transfers.ts'

/** The available and the total balance of an account, in the smallest unit. */
export interface Balance {
  readonly available: bigint
  readonly total: bigint
}

/**
 * True if every balance after these legs fits into int64; the database fails otherwise. The legs name an
 * account at most once.
 */
export async function fitsBalance(op: Op, legs: readonly Leg[]): Promise<boolean> {
  const accounts = await Promise.all(legs.map((leg) => op.find(BY_ID, accountId(op, leg))))
  return legs.every((leg, n) => {
    const account = accounts[n]
    const gain = account?.normal_side === 'debit' ? -leg.amount : leg.amount
    const after = (account?.posted ?? 0n) + gain
    return INT64_MIN <= after && after <= INT64_MAX
  })
}

/**
 * True if every balance stays within its range after these writes, in any order. Movements may fit one
 * by one, but not together.
 */
export async function fitBalancesTogether(op: Pick<Op, 'find'>, writes: readonly Write[]): Promise<boolean> {
  const moved = new Map<string, { credited: bigint; debited: bigint }>()
  const sumsOf = (id: string) => {
    const sums = moved.get(id) ?? { credited: 0n, debited: 0n }
    moved.set(id, sums)
    return sums
  }
  for (const write of writes) {
    if ((write.write !== 'transfer' && write.write !== 'end') || write.state !== 'posted') continue
    sumsOf(write.credit).credited += write.amount
    sumsOf(write.debit).debited += write.amount
  }
  const fits = await Promise.all(
    [...moved].map(async ([id, { credited, debited }]) => {
      const account = await op.find(BY_ID, id)
      const posted = account?.posted ?? 0n
      const [more, less] = account?.normal_side === 'debit' ? [debited, credited] : [credited, debited]
      return posted + more <= INT64_MAX && posted - less >= INT64_MIN
    }),
  )
  return fits.every(Boolean)
}

/** Throws 400 `AMOUNT_OUT_OF_RANGE`, naming `field`, if a balance after these legs would exceed int64. */
export async function checkFitsBalance(op: Op, legs: readonly Leg[], field: string): Promise<void> {
  if (!(await fitsBalance(op, legs)))
    throw fieldError('AMOUNT_OUT_OF_RANGE', field, 'The balance of the account would be too large.')
}

/** Balances by account id. Accounts that are not open are left out. */
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
 * The platform's own accounts of one kind in these currencies, with their posted balances on the normal side.
 * Accounts that were never opened are left out.
 */
export async function findSystemAccounts(
  op: Op,
  system: SystemAccount,
  currencies: readonly string[],
): Promise<Pick<LedgerAccountRow, 'id' | 'currency' | 'posted'>[]> {
  const rows = await Promise.all(
    currencies.map((currency) => op.find(BY_ID, systemAccountId(op.platform.id, system, currency))),
  )
  return rows.filter((row) => row !== undefined)
}

/**
 * The posted balance of one of the platform's accounts on its normal side, in the smallest unit. 0 if it was
 * never opened.
 */
export async function findLedgerBalance(op: Op, place: Place): Promise<bigint> {
  return (await op.find(BY_ID, accountId(op, place)))?.posted ?? 0n
}

const BY_ID = rowByKey<
  Pick<LedgerAccountRow, 'id' | 'platform_id' | 'currency' | 'normal_side' | 'posted' | 'held'>
>(
  'SELECT id, platform_id, currency, normal_side, posted, held FROM ledger_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)
