import { accountType } from '@countersign/contract/accounts/account-types'
import type { externalAccounts } from '@countersign/contract/accounts/external-accounts'
import { type Op, ownCustomer } from '../../kernel/operation/app.ts'
import { ApiError, fieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { checkBirthDate, findCustomer } from '../../people/customers/customers.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
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

export const externalAccountHandlers: Handlers<typeof externalAccounts> = {
  customer_external_account_create: async (op, { body }) => {
    const customerId = body.customerId ?? ownCustomer(op)
    if (customerId === undefined) return addPlatformAccount(op, body)
    const customer = await findCustomer(op, customerId)
    const account = await newAccount(op, customer.id, body)
    return {
      status: 201,
      body: externalAccountView(account),
      writes: [
        ...(account.default_uma_deposit ? await endEarlierDefault(op, customer.id) : []),
        insert('external_accounts', account),
        ...toCheck(op, account),
        expectRow('customers', customer.id, { deleted_at: null }),
      ],
    }
  },

  customer_external_account_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectCustomerExternalAccounts(op, query),
      table: 'external_accounts',
      view: (rows) => rows.map(externalAccountView),
    }),
  }),

  /** Includes the platform's own accounts, which this route can add too. */
  customer_external_account_get: async (op, { params }) => ({
    status: 200,
    body: externalAccountView(await findExternalAccount(op, params.externalAccountId)),
  }),

  customer_external_account_delete: async (op, { params }) =>
    removal(op, await findExternalAccount(op, params.externalAccountId)),

  platform_external_account_create: async (op, { body }) => addPlatformAccount(op, body),

  platform_external_account_list: async (op, { query }) => {
    // Binds the cursor to this list, because the customers' list may have the same filters.
    const asked = { ...query, of: 'platform' }
    const list = {
      rows: selectPlatformExternalAccounts(op, query),
      table: 'external_accounts',
      view: (rows: ExternalAccountRow[]) => rows.map(externalAccountView),
    } as const
    return { status: 200, body: await page(op, asked, list) }
  },

  platform_external_account_get: async (op, { params }) => ({
    status: 200,
    body: externalAccountView(await findOfPlatform(op, params.externalAccountId)),
  }),

  platform_external_account_delete: async (op, { params }) =>
    removal(op, await findOfPlatform(op, params.externalAccountId)),
}

/** Adds an account of the platform itself; two routes do this. */
async function addPlatformAccount(op: Op, body: CreateBody) {
  if (body.defaultUmaDepositAccount)
    throw fieldError(
      'INVALID_INPUT',
      'defaultUmaDepositAccount',
      'customerId is required: payments to an UMA address are passed on to an account of its customer',
    )
  const account = await newAccount(op, null, body)
  return {
    status: 201,
    body: externalAccountView(account),
    writes: [insert('external_accounts', account), ...toCheck(op, account)],
  } as const
}

/**
 * The account that a request describes. Errors: 400 that names the field, `INVALID_CURRENCY`, `INVALID_BANK_ACCOUNT`, 409
 * where its owner already has it.
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
  const made = makeExternalAccount(op, owner, { ...body, accountInfo })
  const rail = await payingRail(op, made)
  const fault = await rail?.faultOfPayee?.(op.read, accountInfo)
  if (fault !== undefined)
    throw fieldError('INVALID_BANK_ACCOUNT', 'accountInfo.address', `accountInfo.address ${fault}`)
  const canBeChecked = op.mode !== 'sandbox' && 'beneficiary' in accountInfo && rail?.checkAccount
  const account = canBeChecked ? { ...made, beneficiary_verification_status: PENDING } : made
  const same = await selectExternalAccountByFingerprint(op, owner, account.fingerprint)
  if (same)
    throw new ApiError('EXTERNAL_ACCOUNT_ALREADY_EXISTS', {
      message: `The ${owner === null ? 'platform' : 'customer'} already has this account.`,
      details: { field: 'accountInfo', externalAccountId: same.id },
    })
  return account
}

const PENDING = 'PENDING' as const

/** The rail that pays an account, whatever the amount. */
function payingRail(op: Op, { account_type, currency }: ExternalAccountRow): Promise<Rail | undefined> {
  return op.rails.route(op.platform.id, {
    direction: 'OUT',
    accountType: account_type,
    paymentRail: null,
    currency,
    amount: undefined,
  })
}

/** The job that has the name of the holder checked, where a rail can. */
function toCheck(op: Op, account: ExternalAccountRow): Write[] {
  if (op.mode === 'sandbox' || account.beneficiary_verification_status !== PENDING) return []
  return [job(op, 'external-account.check', { externalAccountId: account.id }, op.now)]
}

async function endEarlierDefault(op: Op, customerId: string): Promise<Write[]> {
  const earlier = await selectDefaultUmaDepositAccount(op, customerId)
  const change = { default_uma_deposit: false, updated_at: op.now }
  return earlier ? [update('external_accounts', earlier.id, { default_uma_deposit: true }, change)] : []
}

/** A customer's account is treated as missing. */
async function findOfPlatform(op: Op, id: string): Promise<ExternalAccountRow> {
  const account = await findExternalAccount(op, id)
  if (account.customer_id !== null)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'externalAccountId' } })
  return account
}

function removal(op: Op, account: ExternalAccountRow) {
  const change = { deleted_at: op.now, updated_at: op.now }
  return {
    status: 204,
    body: undefined,
    writes: [update('external_accounts', account.id, { deleted_at: null }, change)],
  } as const
}
