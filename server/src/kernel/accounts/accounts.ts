import { CURRENCIES, isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import {
  INTERNAL_ACCOUNT_INITIAL,
  INTERNAL_ACCOUNT_TRANSITIONS,
} from '@countersign/contract/states/account-states'
import { toLowerHex } from '../../base/formats/hex.ts'
import { toJson } from '../../base/json/json.ts'
import { type EventWrite, insert, type Write } from '../../storage/commit/writes.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { openAccount } from '../ledger/accounts.ts'
import { type Balance, findBalances } from '../ledger/balances.ts'
import { canSee, getOwnCustomerId, type Op } from '../operation/app.ts'
import { ApiError, createFieldError } from '../operation/operation.ts'
import { transition } from '../operation/transition.ts'
import { accountEvent } from '../outbox/events.ts'
import type { RailChain } from '../ports/rail-chain.ts'
import { listFundingInstructions } from './funding.ts'
import {
  type OwnedAccountRow,
  selectCustomerAccounts,
  selectInternalAccount,
  selectOwnedAccount,
  selectPlatformAccounts,
  selectWalletAt,
} from './store.ts'

export type { OwnedAccountRow } from './store.ts'

/** The currency of an embedded wallet on Spark. */
export const WALLET_CURRENCY = 'USDB'
/** The currency of an embedded wallet on a chain. */
export const CHAIN_WALLET_CURRENCY = 'USDC'

const EMPTY: Balance = { available: 0n, total: 0n }

/** Finds an account of this platform. Throws 404 `ACCOUNT_NOT_FOUND`, naming `field`. */
export async function findInternalAccount(
  op: Op,
  id: string,
  field = 'accountId',
): Promise<InternalAccountRow> {
  const account = await selectInternalAccount(op, id)
  if (!account || !canSee(op, account.customer_id))
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  return account
}

/**
 * True if the actor may see the records of an internal account. Reads nothing for actors that see the whole
 * platform.
 */
export async function canSeeAccount(op: Op, id: string): Promise<boolean> {
  if (getOwnCustomerId(op) === undefined) return true
  const account = await selectInternalAccount(op, id)
  return account !== undefined && canSee(op, account.customer_id)
}

/**
 * Finds an account of this platform with its balance and owner. Throws 404 `ACCOUNT_NOT_FOUND`, naming
 * `field`.
 */
export async function findOwnedAccount(op: Op, id: string, field: string): Promise<OwnedAccountRow> {
  const account = await selectOwnedAccount(op, id)
  if (!account || !canSee(op, account.customer_id))
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  return account
}

/** Finds the platform's own account in a currency, with its balance, if it exists. */
export async function findPlatformAccount(op: Op, currency: string): Promise<OwnedAccountRow | undefined> {
  const [account] = await selectPlatformAccounts(op, { currency })
  return account && selectOwnedAccount(op, account.id)
}

/** True if the account's customer was deleted. Also works for accounts that the caller cannot see. */
export async function isOwnerDeleted(op: Op, id: string): Promise<boolean> {
  const account = await selectOwnedAccount(op, id)
  return account !== undefined && account.owner_deleted_at !== null
}

/**
 * Finds an embedded wallet of this platform. Throws, naming `field`, 404 `ACCOUNT_NOT_FOUND`, or 400 if the
 * account is not a wallet.
 */
export async function findEmbeddedWallet(op: Op, id: string, field: string): Promise<InternalAccountRow> {
  const account = await findInternalAccount(op, id, field)
  if (account.type !== 'EMBEDDED_WALLET')
    throw createFieldError('INVALID_INPUT', field, 'This account is not an embedded wallet.')
  return account
}

/** Finds the embedded wallet of a customer, if there is one. */
export async function findWallet(op: Op, customerId: string): Promise<InternalAccountRow | undefined> {
  return selectCustomerAccounts(op, { customerId, type: 'EMBEDDED_WALLET' }).executeTakeFirst()
}

/**
 * Finds a customer's open account in a currency, if there is one. Prefers a managed account to the wallet.
 */
export async function findCustomerAccount(
  op: Op,
  customerId: string,
  currency: string,
): Promise<InternalAccountRow | undefined> {
  const accounts = await selectCustomerAccounts(op, { customerId, currency }).execute()
  const open = accounts.filter(({ status }) => status === 'ACTIVE')
  return open.find(({ type }) => type !== 'EMBEDDED_WALLET') ?? open[0]
}

type AccountContext = Pick<Op, 'now' | 'platform' | 'newId'>

/** The type of account for a currency. Undefined if only wallets hold it. */
export function accountTypeFor(currency: string): 'INTERNAL_FIAT' | 'INTERNAL_CRYPTO' | undefined {
  if (!isKnownCurrency(currency) || currency === WALLET_CURRENCY) return undefined
  return CURRENCIES[currency].kind === 'fiat' ? 'INTERNAL_FIAT' : 'INTERNAL_CRYPTO'
}

/**
 * Creates an account with its ledger account. `customerId` is null for the platform's own accounts.
 * `isPending` is true while the customer's verification is pending and the account cannot receive money.
 */
export function makeInternalAccount(
  from: AccountContext,
  customerId: string | null,
  currency: string,
  isPending = false,
): Write[] {
  const type = accountTypeFor(currency)
  if (!type || !isKnownCurrency(currency)) throw new Error(`Only wallets can hold ${currency}`)
  const account = { id: from.newId('InternalAccount'), customerId, type, currency }
  return accountWrites(from, account, NO_WALLET, isPending)
}

/** Opens the account of an approved customer, and emits its event. Guard: the account is still PENDING. */
export function activateAccount(op: Op, account: InternalAccountRow): Write[] {
  const { row, write } = transition(op, 'internal_accounts', INTERNAL_ACCOUNT_TRANSITIONS, account, 'approve')
  const view = toInternalAccountView(op, row, EMPTY)
  return [write, accountEvent(op, 'INTERNAL_ACCOUNT.STATUS_UPDATED', row.id, toJson(view))]
}

/** All accounts of a customer, with any status. */
export async function listCustomerAccounts(op: Op, customerId: string): Promise<InternalAccountRow[]> {
  return selectCustomerAccounts(op, { customerId }).execute()
}

/** A chain that offers wallets, and the name of its rail. */
export interface WalletChain {
  readonly rail: string
  readonly chain: RailChain
}

/** Creates an embedded wallet on a chain, or else on Spark. The enclave generates its seed. */
export function makeWallet(
  op: Op,
  customerId: string,
  on: WalletChain | undefined,
): { readonly accountId: string; readonly writes: readonly Write[] } {
  const id = op.newId('InternalAccount')
  const { sealedSeed, sparkAddress, evmAddress } = op.enclave.newWallet(id)
  const account = { id, customerId, type: 'EMBEDDED_WALLET' } as const
  if (!on) {
    const keys = { ...NO_WALLET, spark_address: sparkAddress, sealed_seed: sealedSeed }
    return { accountId: id, writes: accountWrites(op, { ...account, currency: WALLET_CURRENCY }, keys) }
  }
  const keys = { ...NO_WALLET, chain_rail: on.rail, chain_address: evmAddress, sealed_seed: sealedSeed }
  return {
    accountId: id,
    writes: [
      ...accountWrites(op, { ...account, currency: CHAIN_WALLET_CURRENCY }, keys),
      on.chain.walletAddress(op, id, evmAddress),
    ],
  }
}

/** Finds the wallet with this address on the chain of a rail, if there is one. */
export async function findWalletAt(
  op: Op,
  rail: string,
  address: string,
): Promise<InternalAccountRow | undefined> {
  return selectWalletAt(op, rail, toLowerHex(address))
}

/** Opens the platform's own accounts in the currencies that lack one. */
export async function openMissingPlatformAccounts(op: Op, currencies: readonly string[]): Promise<Write[]> {
  const accounts = await selectPlatformAccounts(op, {})
  const heldCurrencies = new Set<string>(accounts.map((account) => account.currency))
  return currencies
    .filter((currency) => !heldCurrencies.has(currency))
    .flatMap((currency) => makeInternalAccount(op, null, currency))
}

/** The seed of a wallet, and its network: Spark, or the chain of a rail. */
type WalletKeys = Pick<InternalAccountRow, 'spark_address' | 'chain_rail' | 'chain_address' | 'sealed_seed'>

const NO_WALLET: WalletKeys = {
  spark_address: null,
  chain_rail: null,
  chain_address: null,
  sealed_seed: null,
}

function accountWrites(
  from: AccountContext,
  account: Pick<InternalAccountRow, 'id' | 'type' | 'currency'> & { readonly customerId: string | null },
  keys: WalletKeys,
  isPending = false,
): Write[] {
  const { id, customerId, type, currency } = account
  const row: InternalAccountRow = {
    id,
    platform_id: from.platform.id,
    customer_id: customerId,
    type,
    currency,
    status: isPending
      ? INTERNAL_ACCOUNT_INITIAL
      : INTERNAL_ACCOUNT_TRANSITIONS[INTERNAL_ACCOUNT_INITIAL].approve,
    private_enabled: false,
    funding: null,
    credentials_version: 1,
    ...keys,
    created_at: from.now,
    updated_at: from.now,
  }
  return [insert('internal_accounts', row), openAccount(from, id, customerId ?? from.platform.id, currency)]
}

/** Describes an internal account to someone who must approve a payment. */
export function describeInternalAccount({
  id,
  currency,
}: Pick<InternalAccountRow, 'id' | 'currency'>): string {
  return `the ${currency} account ${id}`
}

/**
 * An account as the API shows it (specification 2.9). `balance` is what can be spent, `totalBalance` includes
 * held money.
 */
export function toInternalAccountView(op: Op, account: InternalAccountRow, balance: Balance) {
  if (!isKnownCurrency(account.currency))
    throw new Error(`The account currency ${account.currency} is unknown`)
  const currency = toCurrencyRecord(account.currency)
  return present({
    id: account.id,
    customerId: account.customer_id,
    type: account.type,
    status: account.status,
    balance: { amount: balance.available, currency },
    totalBalance: { amount: balance.total, currency },
    fundingPaymentInstructions: listFundingInstructions(op, account),
    privateEnabled: account.private_enabled,
    createdAt: account.created_at.toISOString(),
    updatedAt: account.updated_at.toISOString(),
  })
}

/** An account as its events show it, without balances, which the database fills in. */
interface EventRecord {
  readonly status: InternalAccountRow['status']
  readonly isPrivate: boolean
  readonly updatedMs: number
  readonly text: string
}

/** A cache by account id. Each entry takes about a kilobyte. */
const EVENT_RECORDS = new Map<string, EventRecord>()
const EVENT_RECORDS_MAX = 20_000

/** The event of a changed balance. It must follow the ledger's writes in a write set. */
export function buildBalanceEvent(op: Op, account: InternalAccountRow): EventWrite {
  return accountEvent(op, 'INTERNAL_ACCOUNT.BALANCE_UPDATED', account.id, getEventRecord(op, account).text)
}

/** Builds the JSON once per state of an account: every change to an account also changes `updated_at`. */
function getEventRecord(op: Op, account: InternalAccountRow): EventRecord {
  const { id, status, private_enabled: isPrivate } = account
  const updatedMs = account.updated_at.getTime()
  const cachedRecord = EVENT_RECORDS.get(id)
  if (
    cachedRecord?.updatedMs === updatedMs &&
    cachedRecord.status === status &&
    cachedRecord.isPrivate === isPrivate
  )
    return cachedRecord
  const text = toJson(toInternalAccountView(op, account, EMPTY))
  const eventRecord = { status, isPrivate, updatedMs, text }
  if (EVENT_RECORDS.size >= EVENT_RECORDS_MAX) EVENT_RECORDS.clear()
  EVENT_RECORDS.set(id, eventRecord)
  return eventRecord
}

/** An account as the API shows it, with its current balance. */
export async function toCurrentAccountView(op: Op, account: InternalAccountRow) {
  const balances = await findBalances(op, [account.id])
  return toInternalAccountView(op, account, balances.get(account.id) ?? EMPTY)
}

/** Accounts as the API shows them, with their current balances. */
export async function toInternalAccountViews(op: Op, accounts: readonly InternalAccountRow[]) {
  const balances = await findBalances(
    op,
    accounts.map((account) => account.id),
  )
  return accounts.map((account) => toInternalAccountView(op, account, balances.get(account.id) ?? EMPTY))
}
