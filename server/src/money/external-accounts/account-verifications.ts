import type { account_verification_get } from '@countersign/contract/accounts/account-verifications'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  ACCOUNT_VERIFICATION_TRANSITIONS,
  type AccountVerificationEvent,
} from '@countersign/contract/states/account-verification-states'
import { maySee, type Op, plusSeconds } from '../../kernel/operation/app.ts'
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
  selectStarts,
  selectStartsOf,
  selectVerification,
  selectVerificationOf,
  selectVerifications,
} from './verification-store.ts'

/** Error: 404 `ACCOUNT_VERIFICATION_NOT_FOUND`. */
export async function findVerification(op: Op, id: string): Promise<AccountVerificationRow> {
  const row = await selectVerification(op, id)
  if (!row || !maySee(op, row.customer_id))
    throw new ApiError('ACCOUNT_VERIFICATION_NOT_FOUND', { details: { field: 'accountVerificationId' } })
  return row
}

/** The matching verifications, for a page. */
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

/** The last verifications of a bank account, whichever customers have it, newest first. */
export function findStarts(
  op: Op,
  accountDigest: string,
  limit: number,
): Promise<readonly AccountVerificationRow[]> {
  return selectStarts(op, accountDigest, limit)
}

/** The last verifications of a customer, newest first. */
export function findStartsOf(
  op: Op,
  customerId: string,
  limit: number,
): Promise<readonly AccountVerificationRow[]> {
  return selectStartsOf(op, customerId, limit)
}

export interface MovedVerification {
  readonly row: AccountVerificationRow
  readonly writes: readonly Write[]
}

/** Moves it on, with its account and an event if the state changes. Guard: what the response shows is unchanged. */
export function moveVerification(
  op: Op,
  from: AccountVerificationRow,
  by: AccountVerificationEvent,
  change: Partial<AccountVerificationRow> = {},
): MovedVerification {
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
  const ofAccount = { verification_status: row.state, updated_at: op.now }
  return {
    row,
    writes: [
      write,
      update('external_accounts', row.external_account_id, {}, ofAccount),
      verificationEvent(op, row),
    ],
  }
}

/** Reports a verification that has begun or changed its state. */
export function verificationEvent(op: Op, row: AccountVerificationRow): Write {
  return event(op, 'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED', row.id, accountVerificationView(row))
}

/** The writes that end the current verification of an account. Empty if it is neither verified nor being verified. */
export async function endVerification(
  op: Op,
  { id, verification_status }: ExternalAccountRow,
  reason: Extract<VerificationFailure, 'ACCOUNT_CHANGED' | 'ACCOUNT_REMOVED'>,
): Promise<readonly Write[]> {
  const row = verification_status === null ? undefined : await selectCurrentVerification(op, id)
  return row ? moveVerification(op, row, 'fail', { failure_reason: reason }).writes : []
}

const EXPIRY_SECONDS = 10 * 24 * 3600
const DEPOSITS = 2

/** Counts a deposit that was delivered. The time to confirm the amounts begins with the second one. */
export async function countDelivery(op: Op, transactionId: string): Promise<readonly Write[]> {
  const row = await selectVerificationOf(op, transactionId)
  if (!row) return []
  const delivered = row.delivered + 1
  const counted = { delivered, updated_at: op.now }
  const guard = { delivered: row.delivered }
  if (delivered < DEPOSITS) return [update('account_verifications', row.id, guard, counted)]
  const expires_at = plusSeconds(op.now, EXPIRY_SECONDS)
  return [
    update('account_verifications', row.id, guard, { ...counted, expires_at }),
    job(op, 'account-verification.expire', { accountVerificationId: row.id }, expires_at),
  ]
}

/** Fails the verification of a deposit that failed or was returned. Empty if it has ended, or the transaction belongs to none. */
export async function failVerificationOf(
  op: Op,
  transactionId: string,
  message: string | undefined,
): Promise<readonly Write[]> {
  const row = await selectVerificationOf(op, transactionId)
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
