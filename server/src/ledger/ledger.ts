import type { LedgerWrite } from '../db/commit/writes.ts'
import { idOfKind, uuidOfText } from '../db/engine/ids.ts'
import { rowByKey } from '../db/read/lookup.ts'
import type { LedgerAccountRow } from '../db/schema/ledger-tables.ts'
import { TRANSFER_INITIAL, TRANSFER_TRANSITIONS } from '../db/schema/states.ts'
import type { InternalAccountRow } from '../db/schema/tables.ts'
import { INT64_MAX, INT64_MIN } from '../json/int64.ts'
import type { Op } from '../op/app.ts'
import { fieldError } from '../op/operation.ts'

/**
 * The double-entry ledger: the only maker of ledger writes. What each write does is in `db/functions/ledger-*.ts`, what the
 * database refuses in `db/schema/baseline/ledger.ts`. Legs are signed: a credit is positive, a debit negative.
 */

/** What caused a movement: the kind of record and its id. */
export interface Cause {
  readonly cause: 'card_transaction' | 'deposit' | 'quote' | 'sandbox_fund' | 'statement' | 'transaction'
  readonly causeId: string
}

/** The platform's own accounts, one per currency, opened when first needed. */
const SYSTEM_ACCOUNTS = {
  /**
   * Value outside: what banks and networks hold for us, an account for each rail. Money in debits it, money out credits it.
   */
  rail: 'debit',
  /** What conversions have bought and sold. */
  fx: 'credit',
  /** Fees earned. */
  fees: 'credit',
  /** Money taken or paid in for quotes, on its way to whom they pay. */
  clearing: 'credit',
  /** Undelivered money on its way back to its payer. */
  refunds: 'credit',
  /**
   * Money paid before it was collected: to card networks, not yet pulled from the cardholder; for quotes, taken back by the
   * bank that it was pulled from.
   */
  receivables: 'debit',
  /** Money that came in and that nobody has claimed yet, or that waits for the platform's word. */
  suspense: 'credit',
  /** What rails have charged. */
  costs: 'debit',
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

/** A side of a movement: an internal account by its id, or one of the platform's own by its kind. */
export type Leg = Place & { readonly amount: bigint }
export type Place =
  | { readonly account: string; readonly currency: string }
  | { readonly system: SystemAccount; readonly currency: string; readonly rail?: string | undefined }

/** Legs of money that arrives from outside on an account, by a rail; with a negative amount, that leaves. */
export function arrivalLegs(
  { id, currency }: Pick<InternalAccountRow, 'id' | 'currency'>,
  amount: bigint,
  rail?: string,
): Leg[] {
  return [
    { account: id, currency, amount },
    { system: 'rail', rail, currency, amount: -amount },
  ]
}

const { post: POSTED, void: VOIDED } = TRANSFER_TRANSITIONS[TRANSFER_INITIAL]

/** Posts a movement: legs of zero are left out; the rest must sum to zero per currency. */
export function post(op: Op, cause: Cause, legs: readonly Leg[]): LedgerWrite[] {
  return pairsOf(legs).flatMap((pair) => transfer(op, cause, pair))
}

/** Money from one place to another. */
interface Pair {
  readonly from: Place
  readonly to: Place
  readonly amount: bigint
}

/** The transfers that a movement consists of: each debit goes to the credits of its currency, in their order. */
export function pairsOf(legs: readonly Leg[]): Pair[] {
  const left = legs.map((leg) => ({ leg, amount: leg.amount }))
  const pairs: Pair[] = []
  for (const debit of left) {
    for (const credit of left) {
      if (debit.amount >= 0n) break
      if (credit.amount <= 0n || credit.leg.currency !== debit.leg.currency) continue
      const amount = credit.amount < -debit.amount ? credit.amount : -debit.amount
      debit.amount += amount
      credit.amount -= amount
      pairs.push({ from: debit.leg, to: credit.leg, amount })
    }
  }
  if (left.some(({ amount }) => amount !== 0n))
    throw new Error('The legs of a movement must sum to zero per currency')
  return pairs
}

/** Money that is held of an internal account, and where it goes when it is captured. */
export interface Held {
  readonly holdId: string
  readonly account: string
  readonly to: SystemAccount
  /** Which of the rails, where `to` is `rail`. */
  readonly rail?: string | undefined
  readonly currency: string
  readonly amount: bigint
}

/** Holds money by a pending transfer. Guard: the account can spend it. */
export function hold(
  op: Op,
  cause: Cause,
  held: Omit<Held, 'holdId'>,
): { readonly holdId: string; readonly write: LedgerWrite } {
  const write = pending(op, cause, { ...held, holdId: op.newId('LedgerTransfer') })
  return { holdId: write.id, write }
}

/** Posts what is held, whole. Guard: it is still held. */
export function capture(op: Op, held: Held): LedgerWrite[] {
  const { to: system, rail, currency } = held
  return [
    openSystemAccount(op, { system, rail, currency }),
    { ...sidesOf(op, held), write: 'end', state: POSTED },
  ]
}

/**
 * Posts a part of what is held. The pending transfer is voided; a posted one has the part, and the rest, unless it is
 * given up, is held by a new one, whose id is the hold's from now on. Guard: it is still held.
 */
export function capturePart(
  op: Op,
  cause: Cause,
  held: Held,
  part: bigint,
  keepsRest: boolean,
): { readonly holdId: string; readonly writes: LedgerWrite[] } {
  const { holdId, account, to: system, rail, currency, amount } = held
  if (part > amount) throw new Error(`${part} cannot be captured of a hold of ${amount}`)
  if (part === amount) return { holdId, writes: capture(op, held) }
  const taken = transfer(op, cause, {
    from: { account, currency },
    to: { system, rail, currency },
    amount: part,
  })
  const rest = { ...held, holdId: op.newId('LedgerTransfer'), amount: amount - part }
  return keepsRest
    ? { holdId: rest.holdId, writes: [release(op, held), ...taken, pending(op, cause, rest)] }
    : { holdId, writes: [release(op, held), ...taken] }
}

/** Gives back what is held. Guard: it is still held. */
export function release(op: Op, held: Held): LedgerWrite {
  return { ...sidesOf(op, held), write: 'end', state: VOIDED }
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
  const accounts = await Promise.all(legs.map((leg) => op.find(BY_ID, accountId(op, leg))))
  return legs.every((leg, n) => {
    const account = accounts[n]
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

const BY_ID = rowByKey<
  Pick<LedgerAccountRow, 'id' | 'platform_id' | 'currency' | 'normal_side' | 'posted' | 'held'>
>(
  'SELECT id, platform_id, currency, normal_side, posted, held FROM ledger_accounts WHERE id = ANY ($1::uuid[])',
  'id',
)

function accountId(op: Op, place: Place): string {
  if ('account' in place) return place.account
  return systemAccountId(op.platform.id, place.system, place.currency, place.rail)
}

/** Ids of platforms' own accounts. Each follows from what the account is, so it is known before the account is opened. */
const systemAccountIds = new Map<string, string>()
const SYSTEM_ACCOUNT_IDS_MAX = 10_000

/** The id of a platform's own account; `rail` says which of those of a kind. */
export function systemAccountId(
  platformId: string,
  system: SystemAccount,
  currency: string,
  rail?: string,
): string {
  const what = `Ledger:${nameOf(system, rail)}:${currency}:${platformId}`
  const known = systemAccountIds.get(what)
  if (known !== undefined) return known
  const id = idOfKind('LedgerAccount', uuidOfText(what))
  if (systemAccountIds.size === SYSTEM_ACCOUNT_IDS_MAX) systemAccountIds.clear()
  systemAccountIds.set(what, id)
  return id
}

/** `rail:example-bank`: what the platform holds by one rail. */
function nameOf(system: SystemAccount, rail: string | undefined): string {
  return rail === undefined ? system : `${system}:${rail}`
}

/** Opens those of the platform's own accounts that a posted transfer needs, and makes it. */
function transfer(op: Op, cause: Cause, { from, to, amount }: Pair): LedgerWrite[] {
  const own = [from, to].flatMap((place) => ('system' in place ? [openSystemAccount(op, place)] : []))
  return [
    ...own,
    {
      write: 'transfer',
      state: POSTED,
      id: op.newId('LedgerTransfer'),
      platformId: op.platform.id,
      debit: accountId(op, from),
      credit: accountId(op, to),
      currency: from.currency,
      amount,
      at: op.now,
      ...cause,
    },
  ]
}

function pending(op: Op, cause: Cause, held: Held) {
  return { ...sidesOf(op, held), ...cause, write: 'transfer', state: TRANSFER_INITIAL } as const
}

function sidesOf(op: Op, { holdId, account, to, rail, currency, amount }: Held) {
  const credit = systemAccountId(op.platform.id, to, currency, rail)
  return {
    id: holdId,
    platformId: op.platform.id,
    debit: account,
    credit,
    currency,
    amount,
    at: op.now,
  } as const
}

function openSystemAccount(op: Op, { system, rail, currency }: Extract<Place, { system: SystemAccount }>) {
  return {
    write: 'open',
    id: systemAccountId(op.platform.id, system, currency, rail),
    platformId: op.platform.id,
    owner: op.platform.id,
    name: nameOf(system, rail),
    currency,
    normalSide: SYSTEM_ACCOUNTS[system],
    mayOverdraw: true,
  } as const
}
