import { accountType } from '@countersign/contract/account-types'
import type {
  customer_external_account_create,
  customer_external_account_delete,
  customer_external_account_get,
  customer_external_account_list,
  platform_external_account_create,
  platform_external_account_delete,
  platform_external_account_get,
  platform_external_account_list,
} from '@countersign/contract/external-accounts'
import type { Op } from '../app.ts'
import { checkBirthDate, findCustomer } from '../customers/customers.ts'
import type { ExternalAccountRow } from '../db/schema/tables.ts'
import { expectRow, insert, update, type Write } from '../db/writes.ts'
import { ApiError, fieldError, type Handler } from '../operation.ts'
import { page } from '../paging.ts'
import { checkAccountDetails, keptDetails } from './account-details.ts'
import {
  type CreateBody,
  externalAccountView,
  findExternalAccount,
  makeExternalAccount,
} from './external-accounts.ts'
import {
  type Owner,
  selectCustomerExternalAccounts,
  selectDefaultUmaDepositAccount,
  selectExternalAccountByFingerprint,
  selectPlatformExternalAccounts,
} from './store.ts'

export const customerExternalAccountCreate: Handler<typeof customer_external_account_create> = async (
  op,
  { body },
) => {
  const { customerId } = body
  if (customerId === undefined) return addPlatformAccount(op, body)
  const customer = await findCustomer(op, customerId)
  const account = await newAccount(op, customer.id, body)
  return {
    status: 201,
    body: externalAccountView(account),
    writes: [
      ...(account.default_uma_deposit ? await endEarlierDefault(op, customer.id) : []),
      insert('external_accounts', account),
      expectRow('customers', customer.id, { deleted_at: null }),
    ],
  }
}

export const platformExternalAccountCreate: Handler<typeof platform_external_account_create> = async (
  op,
  { body },
) => addPlatformAccount(op, body)

/** An account of the platform itself, by whichever route it is added. */
async function addPlatformAccount(op: Op, body: CreateBody) {
  if (body.defaultUmaDepositAccount)
    throw fieldError(
      'INVALID_INPUT',
      'defaultUmaDepositAccount',
      'Payments to an UMA address are passed on to an account of its customer: customerId is missing',
    )
  const account = await newAccount(op, null, body)
  return {
    status: 201,
    body: externalAccountView(account),
    writes: [insert('external_accounts', account)],
  } as const
}

/**
 * The account that a request describes. Errors: 400 that names the field, `INVALID_CURRENCY`, `INVALID_BANK_ACCOUNT`, 409
 * where its owner has it already.
 */
async function newAccount(op: Op, owner: Owner, body: CreateBody): Promise<ExternalAccountRow> {
  const accountInfo = keptDetails(body.accountInfo)
  const { currencies } = accountType(accountInfo.accountType)
  if (!currencies.some((currency) => currency === body.currency))
    throw fieldError(
      'INVALID_CURRENCY',
      'currency',
      `An account of type ${accountInfo.accountType} holds ${currencies.join(' or ')}.`,
    )
  checkAccountDetails(accountInfo, op.mode)
  if ('beneficiary' in accountInfo && accountInfo.beneficiary.beneficiaryType === 'INDIVIDUAL')
    checkBirthDate(op, 'accountInfo.beneficiary.birthDate', accountInfo.beneficiary.birthDate)
  const account = makeExternalAccount(op, owner, { ...body, accountInfo })
  const same = await selectExternalAccountByFingerprint(op, owner, account.fingerprint)
  if (same)
    throw new ApiError('CONFLICT', {
      message: `The ${owner === null ? 'platform' : 'customer'} has this account already.`,
      details: { field: 'accountInfo', externalAccountId: same.id },
    })
  return account
}

async function endEarlierDefault(op: Op, customerId: string): Promise<Write[]> {
  const earlier = await selectDefaultUmaDepositAccount(op, customerId)
  const change = { default_uma_deposit: false, updated_at: op.now }
  return earlier ? [update('external_accounts', earlier.id, { default_uma_deposit: true }, change)] : []
}

export const customerExternalAccountList: Handler<typeof customer_external_account_list> = async (
  op,
  { query },
) => ({
  status: 200,
  body: await page(op, query, {
    rows: selectCustomerExternalAccounts(op, query),
    table: 'external_accounts',
    view: (rows) => rows.map(externalAccountView),
  }),
})

export const platformExternalAccountList: Handler<typeof platform_external_account_list> = async (
  op,
  { query },
) => {
  // A cursor is good for what was asked for, and the customers' list may be asked the same.
  const asked = { ...query, of: 'platform' }
  const list = {
    rows: selectPlatformExternalAccounts(op, query),
    table: 'external_accounts',
    view: (rows: ExternalAccountRow[]) => rows.map(externalAccountView),
  } as const
  return { status: 200, body: await page(op, asked, list) }
}

/** A customer's account is as if it were not there. */
async function findOfPlatform(op: Op, id: string): Promise<ExternalAccountRow> {
  const account = await findExternalAccount(op, id)
  if (account.customer_id !== null)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'externalAccountId' } })
  return account
}

/** Also the platform's own, which may have been added by this route. */
export const customerExternalAccountGet: Handler<typeof customer_external_account_get> = async (
  op,
  { params },
) => ({ status: 200, body: externalAccountView(await findExternalAccount(op, params.externalAccountId)) })

export const platformExternalAccountGet: Handler<typeof platform_external_account_get> = async (
  op,
  { params },
) => ({ status: 200, body: externalAccountView(await findOfPlatform(op, params.externalAccountId)) })

export const customerExternalAccountDelete: Handler<typeof customer_external_account_delete> = async (
  op,
  { params },
) => removal(op, await findExternalAccount(op, params.externalAccountId))

export const platformExternalAccountDelete: Handler<typeof platform_external_account_delete> = async (
  op,
  { params },
) => removal(op, await findOfPlatform(op, params.externalAccountId))

function removal(op: Op, account: ExternalAccountRow) {
  const change = { deleted_at: op.now, updated_at: op.now }
  return {
    status: 204,
    body: undefined,
    writes: [update('external_accounts', account.id, { deleted_at: null }, change)],
  } as const
}
