import type { LedgerWrite } from '../../storage/commit/writes.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'
import type { Op } from '../operation/app.ts'

/** The platform's own accounts, one per currency, opened on first use. */
const SYSTEM_ACCOUNTS = {
  /**
   * Money held outside: what banks and networks hold for us, one account per rail. Incoming money debits it,
   * outgoing money credits it.
   */
  rail: 'debit',
  /** Amounts that conversions have bought and sold. */
  fx: 'credit',
  fees: 'credit',
  /** Money taken or paid in for quotes, on its way to the payees. */
  clearing: 'credit',
  /** Undelivered money on its way back to its payer. */
  refunds: 'credit',
  /**
   * Money paid out before it was collected: to card networks, not yet pulled from the cardholder; for quotes,
   * taken back by the bank that it was pulled from.
   */
  receivables: 'debit',
  /** Money that came in and is unclaimed, or waits for the platform's decision. */
  suspense: 'credit',
  /** Fees charged by rails. */
  costs: 'debit',
} as const

export type SystemAccount = keyof typeof SYSTEM_ACCOUNTS

/** Opens the ledger account of an internal account, which can never be overdrawn. */
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
 * Closes all accounts of a customer permanently. Guards: they are empty, none of the customer's payments is
 * open, and no card or card key is left (`functions/ledger-close.ts`). Comes last in its write set.
 */
export function closeAccounts(customerId: string): LedgerWrite {
  return { write: 'close', owner: customerId }
}

export type Place =
  | { readonly account: string; readonly currency: string }
  | { readonly system: SystemAccount; readonly currency: string; readonly rail?: string | undefined }

export function accountId(op: Op, place: Place): string {
  if ('account' in place) return place.account
  return systemAccountId(op.platform.id, place.system, place.currency, place.rail)
}

/**
 * Ids of platforms' own accounts. Each is derived from the account's kind, so it is known before the account
 * is opened.
 */
const systemAccountIds = new Map<string, string>()

const SYSTEM_ACCOUNT_IDS_MAX = 10_000

/** The id of a platform's own account; `rail` distinguishes accounts of kind `rail`. */
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

/** `rail:example-bank`: money that the platform holds at one rail. */
function nameOf(system: SystemAccount, rail: string | undefined): string {
  return rail === undefined ? system : `${system}:${rail}`
}

export function openSystemAccount(
  op: Op,
  { system, rail, currency }: Extract<Place, { system: SystemAccount }>,
) {
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
