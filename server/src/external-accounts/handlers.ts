import { accountType } from '@countersign/contract/account-types'
import type {
  customer_external_account_create,
  customer_external_account_delete,
  customer_external_account_get,
  customer_external_account_list,
} from '@countersign/contract/external-accounts'
import { checkBirthDate, findCustomer } from '../customers/customers.ts'
import { expectRow, insert, update } from '../db/writes.ts'
import { ApiError, fieldError, type Handler } from '../operation.ts'
import { page } from '../paging.ts'
import { checkAccountDetails } from './account-details.ts'
import { externalAccountView, findExternalAccount, makeExternalAccount } from './external-accounts.ts'
import {
  selectDefaultUmaDepositAccount,
  selectExternalAccountByFingerprint,
  selectExternalAccounts,
} from './store.ts'

export const customerExternalAccountCreate: Handler<typeof customer_external_account_create> = async (
  op,
  { body },
) => {
  const { accountInfo, customerId } = body
  if (customerId === undefined) throw fieldError('INVALID_INPUT', 'customerId', 'customerId is required')
  const customer = await findCustomer(op, customerId)
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
  const account = makeExternalAccount(op, customer.id, body)
  const same = await selectExternalAccountByFingerprint(op, customer.id, account.fingerprint)
  if (same)
    throw new ApiError('CONFLICT', {
      message: 'The customer has this account already.',
      details: { field: 'accountInfo', externalAccountId: same.id },
    })
  const earlier = account.default_uma_deposit
    ? await selectDefaultUmaDepositAccount(op, customer.id)
    : undefined
  const change = { default_uma_deposit: false, updated_at: op.now }
  return {
    status: 201,
    body: externalAccountView(account),
    writes: [
      ...(earlier ? [update('external_accounts', earlier.id, { default_uma_deposit: true }, change)] : []),
      insert('external_accounts', account),
      expectRow('customers', customer.id, { deleted_at: null }),
    ],
  }
}

export const customerExternalAccountList: Handler<typeof customer_external_account_list> = async (
  op,
  { query },
) => ({
  status: 200,
  body: await page(op, query, {
    rows: selectExternalAccounts(op, query),
    table: 'external_accounts',
    view: (rows) => rows.map(externalAccountView),
  }),
})

export const customerExternalAccountGet: Handler<typeof customer_external_account_get> = async (
  op,
  { params },
) => ({ status: 200, body: externalAccountView(await findExternalAccount(op, params.externalAccountId)) })

export const customerExternalAccountDelete: Handler<typeof customer_external_account_delete> = async (
  op,
  { params },
) => {
  const account = await findExternalAccount(op, params.externalAccountId)
  const change = { deleted_at: op.now, updated_at: op.now }
  return {
    status: 204,
    body: undefined,
    writes: [update('external_accounts', account.id, { deleted_at: null }, change)],
  }
}
