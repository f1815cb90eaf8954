import type { LedgerWrite } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { Op } from '../operation/app.ts'

/** The platform's own accounts. There is one per kind and currency, opened on first use. */
const SYSTEM_ACCOUNTS = {
  /**
   * Money that banks and networks hold for the platform, with one account per rail. Incoming money debits it,
   * outgoing money credits it.
   */
  rail: 'debit',
  /** Amounts bought and sold by conversions. */
  fx: 'credit',
  fees: 'credit',
  /** Money paid in for quotes, on its way to the payees. */
  clearing: 'credit',
  /** Undelivered money on its way back to the payer. */
  refunds: 'credit',
  /**
   * Money paid out before it was collected: to card networks, while the pull from the cardholder is pending,
   * and for quotes whose pull was taken back by the bank.
   */
  receivables: 'debit',
  /** Money that was received but is unclaimed or waits for the platform's decision. */
  suspense: 'credit',
  /** Fees charged by rails. */
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
 * Closes all ledger accounts of a customer permanently. Must be the last write of its set. Guards: the
 * accounts are empty, the customer has no open payment, and no card or card key remains
 * (`functions/ledger-close.ts`).
 */
export function closeAccounts(customerId: string): LedgerWrite {
  return { write: 'close', owner: customerId }
}

export type Place =
  | { readonly account: string; readonly currency: string }
  | { readonly system: SystemAccount; readonly currency: string; readonly rail?: string | undefined }

export function resolveAccountId(op: Op, place: Place): string {
  if ('account' in place) return place.account
  return toSystemAccountId(op.platform.id, place.system, place.currency, place.rail)
}

/**
 * A cache of the ids of platforms' own accounts. An id is derived from the name of the account, so it is
 * known before the account is opened.
 */
const systemAccountIds = new Map<string, string>()

const SYSTEM_ACCOUNT_IDS_MAX = 10_000

/** The id of one of a platform's own accounts. `rail` tells apart accounts of kind `rail`. */
export function toSystemAccountId(
  platformId: string,
  system: SystemAccount,
  currency: string,
  rail?: string,
): string {
  const name = `Ledger:${formatName(system, rail)}:${currency}:${platformId}`
  const cachedId = systemAccountIds.get(name)
  if (cachedId !== undefined) return cachedId
  const id = buildId('LedgerAccount', deriveUuid(name))
  if (systemAccountIds.size === SYSTEM_ACCOUNT_IDS_MAX) systemAccountIds.clear()
  systemAccountIds.set(name, id)
  return id
}

/** For example, `rail:example-bank` is the money that the platform holds at one rail. */
function formatName(system: SystemAccount, rail: string | undefined): string {
  return rail === undefined ? system : `${system}:${rail}`
}

export function openSystemAccount(
  op: Op,
  { system, rail, currency }: Extract<Place, { system: SystemAccount }>,
) {
  return {
    write: 'open',
    id: toSystemAccountId(op.platform.id, system, currency, rail),
    platformId: op.platform.id,
    owner: op.platform.id,
    name: formatName(system, rail),
    currency,
    normalSide: SYSTEM_ACCOUNTS[system],
    mayOverdraw: true,
  } as const
}
