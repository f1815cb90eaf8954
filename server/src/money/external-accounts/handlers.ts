import type { externalAccounts } from '@countersign/contract/accounts/external-accounts'
import { getOwnCustomerId, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { removeAccount } from './account-changes.ts'
import { type CreateBody, findExternalAccount, toExternalAccountView } from './external-accounts.ts'
import { newAccount, scheduleNameCheck } from './new-account.ts'
import {
  selectCustomerExternalAccounts,
  selectDefaultUmaDepositAccount,
  selectPlatformExternalAccounts,
} from './store.ts'

export const externalAccountHandlers: Handlers<typeof externalAccounts> = {
  customer_external_account_create: async (op, { body }) => {
    const customerId = body.customerId ?? getOwnCustomerId(op)
    if (customerId === undefined) return addPlatformAccount(op, body)
    const customer = await findCustomer(op, customerId)
    const account = await newAccount(op, customer.id, body)
    return {
      status: 201,
      body: toExternalAccountView(account),
      writes: [
        ...(account.default_uma_deposit ? await endEarlierDefault(op, customer.id) : []),
        insert('external_accounts', account),
        ...scheduleNameCheck(op, account),
        expectRow('customers', customer.id, { deleted_at: null }),
      ],
    }
  },

  customer_external_account_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectCustomerExternalAccounts(op, query),
      table: 'external_accounts',
      view: (rows) => rows.map(toExternalAccountView),
    }),
  }),

  /** Also finds the platform's own accounts, because this route can add them too. */
  customer_external_account_get: async (op, { params }) => ({
    status: 200,
    body: toExternalAccountView(await findExternalAccount(op, params.externalAccountId)),
  }),

  customer_external_account_delete: async (op, { params }) =>
    respondToRemoval(op, await findExternalAccount(op, params.externalAccountId)),

  platform_external_account_create: async (op, { body }) => addPlatformAccount(op, body),

  platform_external_account_list: async (op, { query }) => {
    // Binds the cursor to this list. Otherwise it would also be valid for the list of customers' accounts
    // with the same filters.
    const cursorQuery = { ...query, of: 'platform' }
    const list = {
      rows: selectPlatformExternalAccounts(op, query),
      table: 'external_accounts',
      view: (rows: ExternalAccountRow[]) => rows.map(toExternalAccountView),
    } as const
    return { status: 200, body: await listPage(op, cursorQuery, list) }
  },

  platform_external_account_get: async (op, { params }) => ({
    status: 200,
    body: toExternalAccountView(await findPlatformExternalAccount(op, params.externalAccountId)),
  }),

  platform_external_account_delete: async (op, { params }) =>
    respondToRemoval(op, await findPlatformExternalAccount(op, params.externalAccountId)),
}

async function addPlatformAccount(op: Op, body: CreateBody) {
  if (body.defaultUmaDepositAccount)
    throw createFieldError(
      'INVALID_INPUT',
      'defaultUmaDepositAccount',
      'customerId is required, because payments to an UMA address are forwarded to an account of its customer',
    )
  const account = await newAccount(op, null, body)
  return {
    status: 201,
    body: toExternalAccountView(account),
    writes: [insert('external_accounts', account), ...scheduleNameCheck(op, account)],
  } as const
}

async function endEarlierDefault(op: Op, customerId: string): Promise<Write[]> {
  const previousDefault = await selectDefaultUmaDepositAccount(op, customerId)
  const change = { default_uma_deposit: false, updated_at: op.now }
  return previousDefault
    ? [update('external_accounts', previousDefault.id, { default_uma_deposit: true }, change)]
    : []
}

/** Finds an account of the platform. Treats a customer's account as missing. */
async function findPlatformExternalAccount(op: Op, id: string): Promise<ExternalAccountRow> {
  const account = await findExternalAccount(op, id)
  if (account.customer_id !== null)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'externalAccountId' } })
  return account
}

async function respondToRemoval(op: Op, account: ExternalAccountRow) {
  return { status: 204, body: undefined, writes: await removeAccount(op, account) } as const
}
