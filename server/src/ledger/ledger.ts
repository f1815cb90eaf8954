import type { LedgerEntry, LedgerWrite } from '../db/commit/writes.ts'
import { idOfKind, uuidOfText } from '../db/engine/ids.ts'
import { rowByKey } from '../db/read/lookup.ts'
import type { LedgerAccountRow } from '../db/schema/ledger-tables.ts'
import type { InternalAccountRow } from '../db/schema/tables.ts'
import { INT64_MAX, INT64_MIN } from '../json/int64.ts'
import type { Op } from '../op/app.ts'
import { fieldError } from '../op/operation.ts'

/**
 * The double-entry ledger: the only maker of ledger writes. What each write does is in `db/functions/ledger-*.ts`, what the
 * database refuses in `db/schema/baseline/ledger.ts`. Entries are signed: a credit is positive, a debit negative.
 */

/** What caused a movement: the kind of record and its id. */
export interface Cause {
  readonly cause: 'card_transaction' | 'quote' | 'sandbox_fund' | 'transaction'
  readonly causeId: string
}

/** The platform's own accounts, one per currency, opened when first needed. */
const SYSTEM_ACCOUNTS = {
  /** Value outside: what banks and networks hold for us. Money in debits it, money out credits it. */
  rail: 'debit',
  /** What conversions have bought and sold. */
  fx: 'credit',
  /** Fees earned. */
  fees: 'credit',
  /** Money paid in for quotes that are not paid out yet. */
  clearing: 'credit',
  /** Undelivered money on its way back to its payer. */
  refunds: 'credit',
  /**
   * Money paid before it was collected: to card networks, not yet pulled from the cardholder; for quotes, taken back by the
   * bank that it was pulled from.
   */
  receivables: 'debit',
} as const

export type SystemAccount = keyof typeof SYSTEM_ACCOUNTS

/** Opens the ledger account of an internal account. It can never be overdrawn. */
export function openAccount(
  op: Pick<Op, 'platform'>,
  accountId: string,
  owner: string,
  currency: string,
): LedgerWrite {
  return {
    write: 'open',
    id: accountId,
    platformId: op.platform.id,
    owner,
    name: null,
    currency,
    normalSide: 'credit',
    mayOverdraw: false,
  }
}

/**
 * Closes all accounts of a customer for good. Guards: they are empty, none of the customer's payments is open, and no card
 * and no key of a card is left (`db/functions/ledger-close.ts`). Comes last in its write set.
 */
export function closeAccounts(customerId: string): LedgerWrite {
  return { write: 'close', owner: customerId }
}

/** A movement between internal accounts (by id) and the platform's own (by kind and currency). */
export type Leg =
  | { readonly account: string; readonly amount: bigint }
  | { readonly system: SystemAccount; readonly currency: string; readonly amount: bigint }

/** Legs of money that arrives from outside on an account; with a negative amount, that leaves. */
export function arrivalLegs(account: Pick<InternalAccountRow, 'id' | 'currency'>, amount: bigint): Leg[] {
  return [
    { account: account.id, amount },
    { system: 'rail', currency: account.currency, amount: -amount },
  ]
}

/** Posts a transfer. Legs of zero are left out; the rest must sum to zero per currency. */
export function post(op: Op, cause: Cause, legs: readonly Leg[]): LedgerWrite[] {
  const moving = legs.filter((leg) => leg.amount !== 0n)
  const opened = new Map<string, LedgerWrite>()
  const entries: LedgerEntry[] = moving.map((leg) => {
    if ('account' in leg) return leg
    const open = openSystemAccount(op, leg.system, leg.currency)
    opened.set(open.id, open)
    return { account: open.id, amount: leg.amount }
  })
  const transfer = { ...caused(op, cause), write: 'post', id: op.newId('LedgerTransfer'), entries } as const
  return [...opened.values(), transfer]
}

/** Holds money. Guard: the account can spend it. */
export function hold(
  op: Op,
  cause: Cause,
  account: string,
  amount: bigint,
): { holdId: string; write: LedgerWrite } {
  const id = op.newId('Hold')
  return { holdId: id, write: { ...caused(op, cause), write: 'hold', id, account, amount } }
}

/** Captures the whole hold and posts where the money went. The legs must debit `account` by `amount`. */
export function captureAll(
  op: Op,
  cause: Cause,
  held: { readonly holdId: string; readonly account: string; readonly amount: bigint },
  legs: readonly Leg[],
): LedgerWrite[] {
  const { holdId, account, amount } = held
  return [
    { write: 'capture', hold: holdId, account, amount, final: true, at: op.now },
    ...post(op, cause, legs),
  ]
}

/** Releases a hold. */
export function release(op: Op, holdId: string, account: string): LedgerWrite {
  return { write: 'void', hold: holdId, account, at: op.now }
}

/** The available and the total balance of an account, in the smallest unit. */
export interface Balance {
  readonly available: bigint
  readonly total: bigint
}

/**
 * Whether every balance after these legs fits into int64; the database fails where one does not. The legs name an account
 * once.
 */
export async function hasRoom(op: Op, legs: readonly Leg[]): Promise<boolean> {
  const idOf = (leg: Leg) =>
    'account' in leg ? leg.account : systemAccountId(op.platform.id, leg.system, leg.currency)
  const rows = await op.read
    .selectFrom('ledger_accounts')
    .select(['id', 'posted', 'normal_side'])
    .where('id', 'in', legs.map(idOf))
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return legs.every((leg) => {
    const account = byId.get(idOf(leg))
    const gain = account?.normal_side === 'debit' ? -leg.amount : leg.amount
    const after = (account?.posted ?? 0n) + gain
    return INT64_MIN <= after && after <= INT64_MAX
  })
}

/** Error: 400 `AMOUNT_OUT_OF_RANGE`, naming `field`, where a balance after these legs would exceed int64. */
export async function checkRoom(op: Op, legs: readonly Leg[], field: string): Promise<void> {
  if (!(await hasRoom(op, legs)))
    throw fieldError('AMOUNT_OUT_OF_RANGE', field, 'The balance of the account would be too large.')
}

/** Balances by account id. An account that is not open has none. */
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
 * The platform's own accounts of one kind in these currencies, as far as they were opened, with their posted balances on
 * the normal side.
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

const BY_ID = rowByKey<Pick<LedgerAccountRow, 'id' | 'platform_id' | 'currency' | 'posted' | 'held'>>(
  'SELECT id, platform_id, currency, posted, held FROM ledger_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

/** Ids of platforms' own accounts. Each follows from what the account is, so it is known before the account is opened. */
const systemAccountIds = new Map<string, string>()
const SYSTEM_ACCOUNT_IDS_MAX = 10_000

/** The id of a platform's own account. */
export function systemAccountId(platformId: string, system: SystemAccount, currency: string): string {
  const what = `Ledger:${system}:${currency}:${platformId}`
  const known = systemAccountIds.get(what)
  if (known !== undefined) return known
  const id = idOfKind('LedgerAccount', uuidOfText(what))
  if (systemAccountIds.size === SYSTEM_ACCOUNT_IDS_MAX) systemAccountIds.clear()
  systemAccountIds.set(what, id)
  return id
}

function openSystemAccount(op: Op, system: SystemAccount, currency: string) {
  return {
    write: 'open',
    id: systemAccountId(op.platform.id, system, currency),
    platformId: op.platform.id,
    owner: op.platform.id,
    name: system,
    currency,
    normalSide: SYSTEM_ACCOUNTS[system],
    mayOverdraw: true,
  } as const
}

function caused(op: Op, cause: Cause) {
  return { ...cause, platformId: op.platform.id, at: op.now }
}
