import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { customer_create } from '@countersign/contract/customers/customers'
import type { WalletChain } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow, PlatformRow } from '../../storage/rows/tables.ts'
import { type PlatformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { requireWalletChain } from '../platforms/wallet-network.ts'
import { buildStatusEvent, checkCurrencies, checkDates, makeCustomer } from './customers.ts'
import { selectHolders } from './store.ts'
import { openCustomerAccounts, openPendingAccounts } from './wallets.ts'

/** Creates customers, either from a request or from a row of an import file. */

export type CreateBody = BodyOf<typeof customer_create>

/** The current platform, for which customers are created. */
export interface PlatformSnapshot {
  readonly platform: PlatformRow
  readonly config: PlatformConfig
  /** The chain for new wallets; undefined on Spark. */
  readonly wallets: WalletChain | undefined
}

/** Reads the platform. Throws 503 `UNAVAILABLE` if no wallet can be created now. */
export async function readPlatformSnapshot(op: Op): Promise<PlatformSnapshot> {
  const platform = await findPlatform(op)
  const config = readPlatformConfig(op, platform)
  return { platform, config, wallets: await requireWalletChain(op, config) }
}

/**
 * Guard: the platform is unchanged. Otherwise the customer could miss a currency that the platform has just
 * added, because the job that adds it may have finished already.
 */
export function guardPlatformUnchanged({ platform }: PlatformSnapshot): Write {
  return expectRow('platforms', platform.id, { version: platform.version })
}

/**
 * Builds a new customer and makes every check that needs no other customer. Throws 400 naming a date or a
 * currency.
 */
export function newCustomer(op: Op, { config }: PlatformSnapshot, body: CreateBody): CustomerRow {
  checkDates(op, body)
  checkCurrencies(config, body.currencies)
  return makeCustomer(op, config, body)
}

/**
 * Builds the writes that create a customer: its record, the accounts that its verification status allows, and
 * an event if the verification has ended.
 */
export function buildCreationWrites(
  op: Op,
  { config, wallets }: PlatformSnapshot,
  customer: CustomerRow,
): Write[] {
  const statusEvent = buildStatusEvent(op, customer)
  return [
    insert('customers', customer),
    ...OPEN_ACCOUNTS[customer.verification_status](op, config, wallets, customer),
    ...(statusEvent ? [statusEvent] : []),
  ]
}

type OpenAccounts = (
  op: Op,
  config: PlatformConfig,
  on: WalletChain | undefined,
  customer: CustomerRow,
) => Write[]

/** Opens a new customer's accounts, depending on its verification status. */
const OPEN_ACCOUNTS: Readonly<Record<CustomerRow['verification_status'], OpenAccounts>> = {
  UNVERIFIED: () => [],
  PENDING: (op, config, _, customer) => openPendingAccounts(op, config, customer),
  APPROVED: openCustomerAccounts,
  REJECTED: () => [],
}

/** A customer as the holder of a platform-assigned id and an UMA address. */
export type Holder = Pick<CustomerRow, 'id' | 'platform_customer_id' | 'uma_address' | 'deleted_at'>

/** Finds the customers that already hold one of these ids or UMA addresses. */
export async function findHolders(op: Op, customers: readonly Holder[]): Promise<Holder[]> {
  return selectHolders(
    op,
    customers.map((customer) => customer.platform_customer_id),
    customers.map((customer) => customer.uma_address),
  )
}

/**
 * Throws 409 `PLATFORM_CUSTOMER_ID_EXISTS` or `UMA_ADDRESS_EXISTS` if another holder has the id or the
 * address.
 */
export function checkIsFree(customer: Holder, holders: readonly Holder[]): void {
  const { id, platform_customer_id, uma_address } = customer
  const others = holders.filter((other) => other.id !== id)
  if (others.some((other) => !other.deleted_at && other.platform_customer_id === platform_customer_id))
    throw new ApiError('PLATFORM_CUSTOMER_ID_EXISTS', { details: { field: 'platformCustomerId' } })
  if (others.some((other) => other.uma_address === uma_address))
    throw new ApiError('UMA_ADDRESS_EXISTS', { details: { field: 'umaAddress' } })
}
