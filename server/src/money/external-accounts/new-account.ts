import { accountType } from '@countersign/contract/accounts/account-types'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Rail } from '../../kernel/ports/rail.ts'
import { checkBirthDate } from '../../people/customers/customers.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkAccountDetails, normalizeDetails } from './account-details.ts'
import { type CreateBody, makeExternalAccount } from './external-accounts.ts'
import { type Owner, selectExternalAccountByFingerprint } from './store.ts'

/**
 * Builds the account that a request describes. Throws 400 naming the field, `INVALID_CURRENCY`,
 * `INVALID_BANK_ACCOUNT`, 409 if the owner already has the account.
 */
export async function newAccount(op: Op, owner: Owner, body: CreateBody): Promise<ExternalAccountRow> {
  const account = await resolveAccount(op, owner, body)
  const existing = await findSameAccount(op, account)
  if (existing)
    throw new ApiError('EXTERNAL_ACCOUNT_ALREADY_EXISTS', {
      message: `The ${owner === null ? 'platform' : 'customer'} already has this account.`,
      details: { field: 'accountInfo', externalAccountId: existing.id },
    })
  return account
}

/** The id of the same account of the same owner; undefined if the account is new. */
export function findSameAccount(
  op: Op,
  { customer_id, fingerprint }: ExternalAccountRow,
): Promise<{ readonly id: string } | undefined> {
  return selectExternalAccountByFingerprint(op, customer_id, fingerprint)
}

/**
 * Checks and builds the account that a request describes, even if the owner already has it. Throws the same
 * errors as `newAccount`, except for 409.
 */
export async function resolveAccount(op: Op, owner: Owner, body: CreateBody): Promise<ExternalAccountRow> {
  const accountInfo = normalizeDetails(body.accountInfo)
  const { currencies } = accountType(accountInfo.accountType)
  if (!currencies.some((currency) => currency === body.currency))
    throw createFieldError(
      'INVALID_CURRENCY',
      'currency',
      `An account of type ${accountInfo.accountType} can only hold ${currencies.join(' or ')}.`,
    )
  checkAccountDetails(accountInfo, op.mode)
  if ('beneficiary' in accountInfo && accountInfo.beneficiary.beneficiaryType === 'INDIVIDUAL')
    checkBirthDate(op, 'accountInfo.beneficiary.birthDate', accountInfo.beneficiary.birthDate)
  const made = makeExternalAccount(op, owner, { ...body, accountInfo })
  const rail = await findPayoutRail(op, made)
  const fault = await rail?.findPayeeFault?.(op.read, accountInfo)
  if (fault !== undefined)
    throw createFieldError('INVALID_BANK_ACCOUNT', 'accountInfo.address', `accountInfo.address ${fault}`)
  return withNameCheckState(op, rail, made)
}

/** Sets the initial state of the name check: pending if the rail can check names. */
function withNameCheckState(op: Op, rail: Rail | undefined, account: ExternalAccountRow): ExternalAccountRow {
  const canBeChecked = op.mode !== 'sandbox' && 'beneficiary' in account.account_info && rail?.checkAccount
  return canBeChecked ? { ...account, beneficiary_verification_status: PENDING } : account
}

/** Resets the name check after the account's details have changed. */
export async function resetNameCheck(op: Op, account: ExternalAccountRow): Promise<ExternalAccountRow> {
  return withNameCheckState(op, await findPayoutRail(op, account), account)
}

const PENDING = 'PENDING' as const

/** The rail that pays an account, regardless of the amount. */
function findPayoutRail(op: Op, { account_type, currency }: ExternalAccountRow): Promise<Rail | undefined> {
  return op.rails.route(op.platform.id, {
    direction: 'OUT',
    accountType: account_type,
    paymentRail: null,
    currency,
    amount: undefined,
  })
}

/** Creates the job that checks the holder's name, if the check is pending. */
export function scheduleNameCheck(op: Op, account: ExternalAccountRow): Write[] {
  if (op.mode === 'sandbox' || account.beneficiary_verification_status !== PENDING) return []
  return [job(op, 'external-account.check', { externalAccountId: account.id }, op.now)]
}
