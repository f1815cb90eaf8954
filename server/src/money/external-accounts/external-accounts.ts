import { accountType } from '@countersign/contract/accounts/account-types'
import type {
  customer_external_account_create,
  customer_external_account_get,
} from '@countersign/contract/accounts/external-accounts'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { isPullingRail } from '@countersign/contract/core/rails'
import { EXTERNAL_ACCOUNT_INITIAL } from '@countersign/contract/states/account-change-states'
import { findBeneficiaryOutcome, takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { AccountDetails, BeneficiaryStatus } from '../../storage/rows/stored-documents.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { computeFingerprint, listIdentifiers } from './account-details.ts'
import { selectExternalAccount, selectExternalAccountEver, selectHasCustomerAccount } from './store.ts'

/** A request for an account. A platform account has no `customerId` and does not receive UMA payments. */
export type CreateBody = BodyOf<typeof customer_external_account_create>
type ExternalAccountView = SuccessOf<typeof customer_external_account_get>['body']

/**
 * Finds an external account of a customer, or of the platform if `customer_id` is null. Throws 404
 * `ACCOUNT_NOT_FOUND`, naming `field`.
 */
export async function findExternalAccount(
  op: Op,
  id: string,
  field = 'externalAccountId',
): Promise<ExternalAccountRow> {
  const account = await selectExternalAccount(op, id)
  if (!account || !canSee(op, account.customer_id))
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  return account
}

/**
 * Finds an external account, even if it was deleted: payments in progress still use it, and old records refer
 * to it.
 */
export async function findExternalAccountEvenIfDeleted(
  op: Op,
  id: string,
): Promise<ExternalAccountRow | undefined> {
  return selectExternalAccountEver(op, id)
}

/** True if a customer of the platform has an account with one of these identifiers. */
export async function hasCustomerAccount(op: Op, identifiers: readonly string[]): Promise<boolean> {
  return selectHasCustomerAccount(op, identifiers)
}

/** Throws 400 naming `field` if the requested rail does not reach the account. */
export function checkRail(account: ExternalAccountRow, rail: string | undefined, field: string): void {
  const rails = listRails(account)
  if (rail && !rails.includes(rail))
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `This account can be reached by these rails: ${rails.join(', ') || 'none'}.`,
    )
}

/** The rails that reach an external account; none for a wallet. */
export function listRails(account: ExternalAccountRow): readonly string[] {
  return accountType(account.account_type).rails ?? []
}

/** The chain of an external account; undefined for a bank account. */
export function findChain({ account_type }: ExternalAccountRow): string | undefined {
  return accountType(account_type).isChain ? account_type : undefined
}

/** The rail that can pull money from an external account; undefined if none can. */
export function findPullRail(account: ExternalAccountRow): string | undefined {
  return listRails(account).find(isPullingRail)
}

/**
 * Builds a new external account from checked details. `customerId` is null for an account of the platform.
 */
export function makeExternalAccount(op: Op, customerId: string | null, body: CreateBody): ExternalAccountRow {
  const { accountInfo, currency } = body
  const identifier = listIdentifiers(accountInfo)[0].value
  return {
    id: op.newId('ExternalAccount'),
    platform_id: op.platform.id,
    customer_id: customerId,
    platform_account_id: body.platformAccountId ?? null,
    currency,
    account_type: accountInfo.accountType,
    account_info: accountInfo,
    fingerprint: computeFingerprint(accountInfo, currency),
    identifier,
    status: EXTERNAL_ACCOUNT_INITIAL,
    status_reason: null,
    beneficiary_verification_status: verifyBeneficiary(op, accountInfo, identifier),
    verification_status: null,
    default_uma_deposit: customerId !== null && (body.defaultUmaDepositAccount ?? false),
    changes: 0,
    details_changed_at: null,
    created_at: op.now,
    updated_at: op.now,
    deleted_at: null,
  }
}

/**
 * The initial result of the name check: by suffix in the sandbox (specification 4.16), unsupported in
 * production until a rail has checked the name. Null for a wallet, which has no holder name.
 */
export function verifyBeneficiary(
  op: Op,
  info: AccountDetails,
  identifier: string,
): BeneficiaryStatus | null {
  if (!('beneficiary' in info)) return null
  if (op.mode === 'production') return 'UNSUPPORTED'
  const outcome = findBeneficiaryOutcome(takeSuffix(identifier))
  if (outcome === 'INVALID') throw new Error('Accounts with this suffix should already have been rejected')
  return outcome
}

/**
 * Stores the bank's result of checking the holder's name for this identifier. Does nothing if the account was
 * removed, now has another identifier, or already has this result. Guard: the account's details are
 * unchanged.
 */
export async function recordNameCheck(
  op: Op,
  id: string,
  identifier: string,
  result: BeneficiaryStatus,
): Promise<readonly Write[]> {
  const account = await findExternalAccountEvenIfDeleted(op, id)
  if (!account || account.deleted_at !== null || account.identifier !== identifier) return []
  const { beneficiary_verification_status: previousStatus, changes } = account
  if (previousStatus === null || previousStatus === result) return []
  const change = { beneficiary_verification_status: result, updated_at: op.now }
  return [update('external_accounts', id, { changes, deleted_at: null }, change)]
}

/** An external account as the API shows it: its details, and the rails that reach it. */
export function toExternalAccountView(row: ExternalAccountRow): ExternalAccountView {
  const details = row.account_info
  const { rails } = accountType(details.accountType)
  const accountInfo = { ...details, ...(rails.length > 0 ? { paymentRails: [...rails] } : {}) }
  return present({
    id: row.id,
    status: row.status,
    statusReason: row.status === 'INACTIVE' ? row.status_reason : null,
    customerId: row.customer_id,
    currency: row.currency,
    platformAccountId: row.platform_account_id,
    defaultUmaDepositAccount: row.customer_id === null ? undefined : row.default_uma_deposit,
    beneficiaryVerificationStatus: row.beneficiary_verification_status,
    verificationStatus: row.verification_status,
    beneficiaryVerifiedData: pickVerifiedData(row, details),
    // These rails belong to the row's own account type, which the union type cannot express.
    accountInfo: accountInfo as ExternalAccountView['accountInfo'],
  })
}

/** The verified name: the stated name if it matched. */
function pickVerifiedData(row: ExternalAccountRow, details: AccountDetails) {
  if (row.beneficiary_verification_status !== 'MATCHED' || !('beneficiary' in details)) return undefined
  const { beneficiary } = details
  return {
    fullName: beneficiary.beneficiaryType === 'INDIVIDUAL' ? beneficiary.fullName : beneficiary.legalName,
  }
}
