import {
  type account_verification_create,
  DEPOSIT_CENTS_MAX,
  VERIFICATION_ATTEMPTS,
} from '@countersign/contract/accounts/account-verifications'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { ACCOUNT_VERIFICATION_INITIAL } from '@countersign/contract/states/account-verification-states'
import {
  findOwnedAccount,
  findPlatformAccount,
  type OwnedAccountRow,
} from '../../kernel/accounts/accounts.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { randomBelow } from '../../people/sign-in/one-time-codes.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import { findCurrentVerification, verificationEvent } from '../external-accounts/account-verifications.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { checkAvailable, draftWithoutLimits } from './transfer-out.ts'
import { type BegunTransfer, beginTransfer } from './transfers.ts'

const CURRENCY = 'USD'
const EXPIRY_SECONDS = 10 * 24 * 3600

export interface NewVerification {
  readonly row: AccountVerificationRow
  readonly writes: readonly Write[]
}

/**
 * Begins a verification: two payments from the platform's account. Guards: the account has no other verification, its
 * details and owner are unchanged, and the platform's account can spend both amounts. Errors: 400 if it is no US bank account
 * of a customer; 409 `ACCOUNT_VERIFICATION_EXISTS`; the errors of POST /transfer-out.
 */
export async function newVerification(
  op: Op,
  { externalAccountId, sourceAccountId }: BodyOf<typeof account_verification_create>,
): Promise<NewVerification> {
  const external = await findExternalAccount(op, externalAccountId)
  const customerId = ownerOf(external)
  await findCustomer(op, customerId, 'externalAccountId')
  await checkUnverified(op, external)
  await checkUsable(op, external, 'externalAccountId')
  const source = await findSource(op, sourceAccountId)
  const [first, second] = twoAmounts(op)
  checkAvailable(source, source.posted - source.held, first + second)
  const one = await deposit(op, source, external, first)
  const other = await deposit(op, source, external, second)
  const row: AccountVerificationRow = {
    id: op.newId('AccountVerification'),
    platform_id: op.platform.id,
    customer_id: customerId,
    external_account_id: external.id,
    source_account_id: source.id,
    first_transaction_id: one.transaction.id,
    second_transaction_id: other.transaction.id,
    state: ACCOUNT_VERIFICATION_INITIAL,
    attempts_left: VERIFICATION_ATTEMPTS,
    failure_reason: null,
    message: null,
    expires_at: plusSeconds(op.now, EXPIRY_SECONDS),
    verified_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  const { changes } = external
  const begun = { changes: changes + 1, verification_status: row.state, updated_at: op.now }
  return {
    row,
    writes: [
      ...one.writes.filter((write) => !isEventOf(source, write)),
      ...other.writes,
      insert('account_verifications', row),
      update('external_accounts', external.id, { changes, deleted_at: null }, begun),
      expectRow('customers', customerId, { deleted_at: null }),
      verificationEvent(op, row),
      job(op, 'account-verification.expire', { accountVerificationId: row.id }, row.expires_at),
    ],
  }
}

/** The owner of an account that can be verified. Error: 400. */
function ownerOf({ customer_id, account_info, currency }: ExternalAccountRow): string {
  if (customer_id === null || account_info.accountType !== 'USD_ACCOUNT' || currency !== CURRENCY)
    throw fieldError(
      'INVALID_INPUT',
      'externalAccountId',
      'Only a US bank account of a customer can be verified by deposits',
    )
  return customer_id
}

async function checkUnverified(op: Op, { id }: ExternalAccountRow): Promise<void> {
  const current = await findCurrentVerification(op, id)
  if (!current) return
  throw new ApiError('ACCOUNT_VERIFICATION_EXISTS', {
    details: { field: 'externalAccountId', accountVerificationId: current.id, status: current.state },
  })
}

/** The platform's account that pays. Errors that name `sourceAccountId`: 404, 400 if it is another's, or not in USD. */
async function findSource(op: Op, id: string | undefined): Promise<OwnedAccountRow> {
  const field = 'sourceAccountId'
  const source =
    id === undefined ? await findPlatformAccount(op, CURRENCY) : await findOwnedAccount(op, id, field)
  if (!source) throw fieldError('INVALID_CURRENCY', field, `The platform has no account in ${CURRENCY}`)
  if (source.customer_id !== null)
    throw fieldError('INVALID_INPUT', field, 'The deposits come from an account of the platform')
  if (source.currency !== CURRENCY)
    throw fieldError('INVALID_CURRENCY', field, `This account is in ${source.currency}, not in ${CURRENCY}`)
  if (source.status !== 'ACTIVE') throw fieldError('INVALID_INPUT', field, `This account is ${source.status}`)
  return source
}

/** Two different amounts in cents. */
function twoAmounts(op: Op): readonly [bigint, bigint] {
  const first = 1 + randomBelow(op, DEPOSIT_CENTS_MAX)
  const second = 1 + randomBelow(op, DEPOSIT_CENTS_MAX - 1)
  return [BigInt(first), BigInt(second < first ? second : second + 1)]
}

/** The limits of the platform do not apply: its lowest amount of a payment may be higher. */
async function deposit(
  op: Op,
  internal: OwnedAccountRow,
  external: ExternalAccountRow,
  amount: bigint,
): Promise<BegunTransfer> {
  const balance = { available: internal.posted - internal.held, total: internal.posted }
  const parties = { internal, external, platformCustomerId: null, balance }
  const { transaction, account } = await draftWithoutLimits(op, parties, { amount, destination: {} })
  const details = { ...transaction.details, isMicroDeposit: true }
  return beginTransfer(op, { transaction: { ...transaction, details }, account }, [])
}

/** True for the event about the balance, which both deposits have. */
function isEventOf({ id }: OwnedAccountRow, write: Write): boolean {
  return write.write === 'event' && write.objectId === id
}
