import type { account_verification_get } from '@countersign/contract/accounts/account-verifications'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  ACCOUNT_VERIFICATION_TRANSITIONS,
  type AccountVerificationEvent,
} from '@countersign/contract/states/account-verification-states'
import { addSeconds, canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { AccountVerificationRow, VerificationFailure } from '../../storage/rows/account-verification.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import {
  type AccountVerificationFilters,
  selectCurrentVerification,
  selectLatestByAccount,
  selectLatestByCustomer,
  selectVerification,
  selectVerificationByTransaction,
  selectVerifications,
} from './verification-store.ts'

/** Throws 404 `ACCOUNT_VERIFICATION_NOT_FOUND`. */
export async function findVerification(op: Op, id: string): Promise<AccountVerificationRow> {
  const row = await selectVerification(op, id)
  if (!row || !canSee(op, row.customer_id))
    throw new ApiError('ACCOUNT_VERIFICATION_NOT_FOUND', { details: { field: 'accountVerificationId' } })
  return row
}

/** A page of the matching verifications. */
export function listVerifications(op: Op, filters: AccountVerificationFilters) {
  return selectVerifications(op, filters)
}

/** The verification of an account that is in progress or has succeeded. */
export function findCurrentVerification(
  op: Op,
  externalAccountId: string,
): Promise<AccountVerificationRow | undefined> {
  return selectCurrentVerification(op, externalAccountId)
}

/** The latest verifications of a bank account across all customers, newest first. */
export function findAccountStarts(
  op: Op,
  accountDigest: string,
  limit: number,
): Promise<readonly AccountVerificationRow[]> {
  return selectLatestByAccount(op, accountDigest, limit)
}

/** The latest verifications of a customer, newest first. */
export function findCustomerStarts(
  op: Op,
  customerId: string,
  limit: number,
): Promise<readonly AccountVerificationRow[]> {
  return selectLatestByCustomer(op, customerId, limit)
}

export interface ChangedVerification {
  readonly row: AccountVerificationRow
  readonly writes: readonly Write[]
}

/**
 * Moves a verification. If its state changes, updates the account and reports the change. Guard: the attempts
 * left and the delivered deposits are unchanged.
 */
export function moveVerification(
  op: Op,
  from: AccountVerificationRow,
  by: AccountVerificationEvent,
  change: Partial<AccountVerificationRow> = {},
): ChangedVerification {
  const { attempts_left, delivered } = from
  const { row, write } = transition(
    op,
    'account_verifications',
    ACCOUNT_VERIFICATION_TRANSITIONS,
    from,
    by,
    change,
    { attempts_left, delivered },
  )
  if (row.state === from.state) return { row, writes: [write] }
  const accountChange = { verification_status: row.state, updated_at: op.now }
  return {
    row,
    writes: [
      write,
      update('external_accounts', row.external_account_id, {}, accountChange),
      buildVerificationEvent(op, row),
    ],
  }
}

/** The event for a new verification or a changed state. */
export function buildVerificationEvent(op: Op, row: AccountVerificationRow): Write {
  return event(op, 'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED', row.id, accountVerificationView(row))
}

/**
 * The writes that end the current verification of an account. Empty if the account has no verification in
 * progress and is not verified.
 */
export async function endVerification(
  op: Op,
  { id, verification_status }: ExternalAccountRow,
  reason: Extract<VerificationFailure, 'ACCOUNT_CHANGED' | 'ACCOUNT_REMOVED'>,
): Promise<readonly Write[]> {
  const row = verification_status === null ? undefined : await selectCurrentVerification(op, id)
  return row ? moveVerification(op, row, 'fail', { failure_reason: reason }).writes : []
}

const EXPIRY_SECONDS = 10 * 24 * 3600
const DEPOSIT_COUNT = 2

/** Counts a delivered deposit. The time to confirm the amounts starts with the second delivery. */
export async function countDelivery(op: Op, transactionId: string): Promise<readonly Write[]> {
  const row = await selectVerificationByTransaction(op, transactionId)
  if (!row) return []
  const delivered = row.delivered + 1
  const change = { delivered, updated_at: op.now }
  const guard = { delivered: row.delivered }
  if (delivered < DEPOSIT_COUNT) return [update('account_verifications', row.id, guard, change)]
  const expires_at = addSeconds(op.now, EXPIRY_SECONDS)
  return [
    update('account_verifications', row.id, guard, { ...change, expires_at }),
    job(op, 'account-verification.expire', { accountVerificationId: row.id }, expires_at),
  ]
}

/**
 * Fails the verification whose deposit failed or was returned. Empty if the verification has ended, or if the
 * transaction is not a verification deposit.
 */
export async function failVerificationByTransaction(
  op: Op,
  transactionId: string,
  message: string | undefined,
): Promise<readonly Write[]> {
  const row = await selectVerificationByTransaction(op, transactionId)
  if (!row || ACCOUNT_VERIFICATION_TRANSITIONS[row.state].fail === null) return []
  const failed = { failure_reason: 'DEPOSIT_FAILED', message: message ?? null } as const
  return moveVerification(op, row, 'fail', failed).writes
}

/** A verification as the API shows it, without the amounts. */
export function accountVerificationView(
  row: AccountVerificationRow,
): SuccessOf<typeof account_verification_get>['body'] {
  return present({
    id: row.id,
    status: row.state,
    externalAccountId: row.external_account_id,
    customerId: row.customer_id,
    sourceAccountId: row.source_account_id,
    transactionIds: [row.first_transaction_id, row.second_transaction_id],
    attemptsLeft: row.attempts_left,
    failureReason: row.failure_reason,
    message: row.message,
    expiresAt: row.expires_at?.toISOString(),
    verifiedAt: row.verified_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
