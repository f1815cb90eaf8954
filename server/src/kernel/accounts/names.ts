import { currencyRecord } from '@countersign/contract/core/currencies'
import type { CustomerRow, ExternalAccountRow } from '../../storage/rows/tables.ts'
import { maySee, type Op } from '../operation/app.ts'
import { describeShortly, nameOfHolder } from './external-account-names.ts'
import { selectCustomerToName, selectExternalAccountToName, selectInternalAccount } from './store.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/**
 * A page of a list, with the names of the customers and accounts that its records mention, if the query
 * requests them. Needs one statement per kind of record, and names only what the caller could read by id.
 */
export async function withNames<Item, Listed extends { readonly data: readonly Item[] }>(
  op: Op,
  { includeNames = false }: { readonly includeNames?: boolean },
  page: Listed & { readonly data: readonly Item[] },
  idsOf: (item: Item) => readonly (string | undefined)[],
): Promise<Listed & { names?: Named[] }> {
  if (!includeNames) return page
  const ids = new Set(page.data.flatMap(idsOf).filter((id) => id !== undefined))
  const names = await Promise.all([...ids].map(async (id) => ({ id, name: await nameOf(op, id) })))
  return { ...page, names: names.flatMap(({ id, name }) => (name === undefined ? [] : [{ id, name }])) }
}

function nameOf(op: Op, id: string): Promise<string | undefined> {
  if (id.startsWith('Customer:')) return nameOfCustomer(op, id)
  if (id.startsWith('ExternalAccount:')) return nameOfExternalAccount(op, id)
  return id.startsWith('InternalAccount:') ? nameOfInternalAccount(op, id) : Promise.resolve(undefined)
}

async function nameOfCustomer(op: Op, id: string): Promise<string | undefined> {
  const customer = await selectCustomerToName(op, id)
  return customer && customer.deleted_at === null && maySee(op, id) ? wordsOf(customer) : undefined
}

function wordsOf({ details, email, platform_customer_id }: CustomerRow): string {
  return details.fullName ?? details.businessInfo?.legalName ?? email ?? platform_customer_id
}

async function nameOfExternalAccount(op: Op, id: string): Promise<string | undefined> {
  const account = await selectExternalAccountToName(op, id)
  if (!account || account.deleted_at !== null || !maySee(op, account.customer_id)) return undefined
  return [nameOfHolder(account), bankOf(account), describeShortly(account)].filter(Boolean).join(', ')
}

function bankOf({ account_info: info }: ExternalAccountRow): string | undefined {
  return 'bankName' in info && typeof info.bankName === 'string' ? info.bankName : undefined
}

/** A customer's account has the name of its owner, a platform account its currency. */
async function nameOfInternalAccount(op: Op, id: string): Promise<string | undefined> {
  const account = await selectInternalAccount(op, id)
  if (!account || !maySee(op, account.customer_id)) return undefined
  if (account.customer_id !== null) return nameOfCustomer(op, account.customer_id)
  return `The platform, ${currencyRecord(account.currency).code}`
}
