import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { customer_create } from '@countersign/contract/customers/customers'
import type { WalletChain } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow, PlatformRow } from '../../storage/rows/tables.ts'
import { type PlatformConfig, readPlatformConfig } from '../platforms/platform-config.ts'
import { findPlatform } from '../platforms/platforms.ts'
import { walletChain } from '../platforms/wallet-network.ts'
import { checkCurrencies, checkDates, makeCustomer, verificationEvent } from './customers.ts'
import { selectHolders } from './store.ts'
import { openCustomerAccounts, openPendingAccounts } from './wallets.ts'

/** Creates customers: by one call, or from a row of a file. */

export type CreateBody = BodyOf<typeof customer_create>

/** The current state of the platform that new customers belong to. */
export interface Home {
  readonly platform: PlatformRow
  readonly config: PlatformConfig
  /** The chain of its wallets; undefined on Spark. */
  readonly wallets: WalletChain | undefined
}

/** Error: 503 `UNAVAILABLE` if no wallet can be created now. */
export async function findHome(op: Op): Promise<Home> {
  const platform = await findPlatform(op)
  const config = readPlatformConfig(op, platform)
  return { platform, config, wallets: await walletChain(op, config) }
}

/**
 * Guard: the platform is unchanged. A currency that it adds in the meantime could be missed: its due work may
 * already be done.
 */
export function homeUnchanged({ platform }: Home): Write {
  return expectRow('platforms', platform.id, { version: platform.version })
}

/** A new customer, as far as the body alone determines it. Errors: 400 that name a date or a currency. */
export function newCustomer(op: Op, { config }: Home, body: CreateBody): CustomerRow {
  checkDates(op, body)
  checkCurrencies(config, body.currencies)
  return makeCustomer(op, config, body)
}

/** The writes of a new customer: its record, its accounts unless it was rejected, and the event of its check. */
export function creationWrites(op: Op, { config, wallets }: Home, customer: CustomerRow): Write[] {
  const announced = verificationEvent(op, customer)
  return [
    insert('customers', customer),
    ...ACCOUNTS_OF[customer.verification_status](op, config, wallets, customer),
    ...(announced ? [announced] : []),
  ]
}

type Opening = (op: Op, config: PlatformConfig, on: WalletChain | undefined, customer: CustomerRow) => Write[]

/** A new customer's accounts, by the status of its check. */
const ACCOUNTS_OF: Readonly<Record<CustomerRow['verification_status'], Opening>> = {
  UNVERIFIED: () => [],
  PENDING: (op, config, _, customer) => openPendingAccounts(op, config, customer),
  APPROVED: openCustomerAccounts,
  REJECTED: () => [],
}

/** A customer with a platform-assigned id and an UMA address. */
export type Holder = Pick<CustomerRow, 'id' | 'platform_customer_id' | 'uma_address' | 'deleted_at'>

/** The customers with one of these ids or UMA addresses. */
export async function findHolders(op: Op, customers: readonly Holder[]): Promise<Holder[]> {
  return selectHolders(
    op,
    customers.map((customer) => customer.platform_customer_id),
    customers.map((customer) => customer.uma_address),
  )
}

/**
 * Errors: 409 `PLATFORM_CUSTOMER_ID_EXISTS` or `UMA_ADDRESS_EXISTS` if another of the holders has the id or
 * the address.
 */
export function checkIsFree(customer: Holder, holders: readonly Holder[]): void {
  const { id, platform_customer_id, uma_address } = customer
  const others = holders.filter((other) => other.id !== id)
  if (others.some((other) => !other.deleted_at && other.platform_customer_id === platform_customer_id))
    throw new ApiError('PLATFORM_CUSTOMER_ID_EXISTS', { details: { field: 'platformCustomerId' } })
  if (others.some((other) => other.uma_address === uma_address))
    throw new ApiError('UMA_ADDRESS_EXISTS', { details: { field: 'umaAddress' } })
}
