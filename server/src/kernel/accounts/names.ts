import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { CustomerRow, ExternalAccountRow } from '../../storage/rows/tables.ts'
import { canSee, type Op } from '../operation/app.ts'
import { describeShortly, getHolderName } from './external-account-names.ts'
import { selectCustomerToName, selectExternalAccountToName, selectInternalAccount } from './store.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/**
 * A page of a list with the names of the customers and accounts mentioned in its records, if the query
 * requests them. Takes one statement per kind of record, and names only records that the caller may read.
 */
export async function withNames<Item, Listed extends { readonly data: readonly Item[] }>(
  op: Op,
  { includeNames = false }: { readonly includeNames?: boolean },
  page: Listed & { readonly data: readonly Item[] },
  idsOf: (item: Item) => readonly (string | undefined)[],
): Promise<Listed & { names?: Named[] }> {
  if (!includeNames) return page
  const ids = new Set(page.data.flatMap(idsOf).filter((id) => id !== undefined))
  const names = await Promise.all([...ids].map(async (id) => ({ id, name: await findName(op, id) })))
  return { ...page, names: names.flatMap(({ id, name }) => (name === undefined ? [] : [{ id, name }])) }
}

function findName(op: Op, id: string): Promise<string | undefined> {
  if (id.startsWith('Customer:')) return findCustomerName(op, id)
  if (id.startsWith('ExternalAccount:')) return findExternalAccountName(op, id)
  return id.startsWith('InternalAccount:') ? findInternalAccountName(op, id) : Promise.resolve(undefined)
}

async function findCustomerName(op: Op, id: string): Promise<string | undefined> {
  const customer = await selectCustomerToName(op, id)
  return customer && customer.deleted_at === null && canSee(op, id) ? formatCustomerName(customer) : undefined
}

function formatCustomerName({ details, email, platform_customer_id }: CustomerRow): string {
  return details.fullName ?? details.businessInfo?.legalName ?? email ?? platform_customer_id
}

async function findExternalAccountName(op: Op, id: string): Promise<string | undefined> {
  const account = await selectExternalAccountToName(op, id)
  if (!account || account.deleted_at !== null || !canSee(op, account.customer_id)) return undefined
  return [getHolderName(account), getBankName(account), describeShortly(account)].filter(Boolean).join(', ')
}

function getBankName({ account_info: info }: ExternalAccountRow): string | undefined {
  return 'bankName' in info && typeof info.bankName === 'string' ? info.bankName : undefined
}

/** A customer's account is named after its owner, a platform account after its currency. */
async function findInternalAccountName(op: Op, id: string): Promise<string | undefined> {
  const account = await selectInternalAccount(op, id)
  if (!account || !canSee(op, account.customer_id)) return undefined
  if (account.customer_id !== null) return findCustomerName(op, account.customer_id)
  return `The platform, ${toCurrencyRecord(account.currency).code}`
}
