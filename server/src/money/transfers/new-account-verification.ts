import {
  type account_verification_create,
  DEPOSIT_CENTS_MAX,
  VERIFICATION_ATTEMPTS,
  VERIFICATION_STARTS,
} from '@countersign/contract/accounts/account-verifications'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { ACCOUNT_VERIFICATION_INITIAL } from '@countersign/contract/states/account-verification-states'
import { TRANSFER_OUT_INITIAL } from '@countersign/contract/states/payment-states'
import {
  findOwnedAccount,
  findPlatformAccount,
  type OwnedAccountRow,
} from '../../kernel/accounts/accounts.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { randomBelow } from '../../people/sign-in/one-time-codes.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'
import type { CustomerRow, ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import {
  findCurrentVerification,
  findStarts,
  findStartsOf,
  verificationEvent,
} from '../external-accounts/account-verifications.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { checkAvailable, draftWithoutLimits } from './transfer-out.ts'
import { type BegunTransfer, beginTransfer, toRouteRequest } from './transfers.ts'

const CURRENCY = 'USD'
/** Other networks may charge more than a deposit is worth. */
const NETWORK = 'ACH'
const FIELD = 'externalAccountId'
const DAY_SECONDS = 24 * 3600

export interface NewVerification {
  readonly row: AccountVerificationRow
  readonly writes: readonly Write[]
}

/**
 * Begins a verification: two payments from the platform's account. Guards: the account has no other verification, its
 * details are unchanged, its owner is still approved, no other start for the bank account has been counted, and the
 * platform's account can spend both amounts. Errors: 400 unless it is a US bank account of a customer and a rail carries the
 * deposits; 403 if the customer is not approved; 409 `ACCOUNT_VERIFICATION_EXISTS` and `ACCOUNT_VERIFICATION_LIMIT_REACHED`.
 */
export async function newVerification(
  op: Op,
  { externalAccountId, sourceAccountId }: BodyOf<typeof account_verification_create>,
): Promise<NewVerification> {
  const external = await findExternalAccount(op, externalAccountId)
  const { customerId, accountDigest } = bankAccountOf(op, external)
  const customer = await findApprovedCustomer(op, customerId)
  await checkUnverified(op, external)
  await checkUsable(op, external, FIELD)
  const start = await nextStart(op, accountDigest, customer.id)
  const customer_start = await nextStartOf(op, customer.id)
  await checkCarried(op, external)
  const source = await findSource(op, sourceAccountId)
  const [first, second] = twoAmounts(op)
  checkAvailable(source, source.posted - source.held, first + second)
  const one = await deposit(op, source, external, first)
  const other = await deposit(op, source, external, second)
  const row: AccountVerificationRow = {
    id: op.newId('AccountVerification'),
    platform_id: op.platform.id,
    customer_id: customer.id,
    external_account_id: external.id,
    source_account_id: source.id,
    first_transaction_id: one.transaction.id,
    second_transaction_id: other.transaction.id,
    account_digest: accountDigest,
    start,
    customer_start,
    state: ACCOUNT_VERIFICATION_INITIAL,
    attempts_left: VERIFICATION_ATTEMPTS,
    failure_reason: null,
    message: null,
    delivered: 0,
    expires_at: null,
    verified_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  const { changes } = external
  const { verification_status } = customer
  const begun = { changes: changes + 1, verification_status: row.state, updated_at: op.now }
  return {
    row,
    writes: [
      ...one.writes.filter((write) => !isEventOf(source, write)),
      ...other.writes,
      insert('account_verifications', row),
      update('external_accounts', external.id, { changes, deleted_at: null }, begun),
      expectRow('customers', customer.id, { deleted_at: null, verification_status }),
      verificationEvent(op, row),
    ],
  }
}

/** The owner and the digest of an account that can be verified. Error: 400. */
function bankAccountOf(op: Op, { customer_id: customerId, account_info, currency }: ExternalAccountRow) {
  if (customerId === null || account_info.accountType !== 'USD_ACCOUNT' || currency !== CURRENCY)
    throw fieldError(
      'INVALID_INPUT',
      FIELD,
      'Only a US bank account of a customer can be verified by deposits',
    )
  const { routingNumber, accountNumber } = account_info
  // Banks read a number with and without leading zeros as the same account.
  const name = `${op.platform.id} ${routingNumber} ${accountNumber.replace(/^0+/, '')}`
  const accountDigest = Buffer.from(op.enclave.mac('accountVerification', name, FIRST_KEY)).toString('hex')
  return { customerId, accountDigest }
}

/** Errors: 404 and 410 that name the account, 403 `USER_NOT_READY`. */
async function findApprovedCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomer(op, id, FIELD)
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return customer
}

async function checkUnverified(op: Op, { id }: ExternalAccountRow): Promise<void> {
  const current = await findCurrentVerification(op, id)
  if (current)
    throw new ApiError('ACCOUNT_VERIFICATION_EXISTS', { details: { field: FIELD, ...shown(current) } })
}

function shown({ id, state }: AccountVerificationRow) {
  return { accountVerificationId: id, status: state }
}

/**
 * The number of the next start for a bank account, whichever customers have it. Errors: 409 while deposits of the
 * last one have not ended, which is shown only to its customer, and after too many starts.
 */
async function nextStart(op: Op, accountDigest: string, customerId: string): Promise<number> {
  const starts = await findStarts(op, accountDigest, VERIFICATION_STARTS.max)
  const [last] = starts
  if (!last) return 1
  const deposits = await Promise.all(
    [last.first_transaction_id, last.second_transaction_id].map((id) => findTransaction(op, id)),
  )
  if (deposits.some(({ state }) => state === TRANSFER_OUT_INITIAL))
    throw new ApiError('ACCOUNT_VERIFICATION_EXISTS', {
      message: 'Earlier deposits to this bank account have not ended yet.',
      details: { field: FIELD, ...(last.customer_id === customerId ? shown(last) : {}) },
    })
  checkStarts(op, starts[VERIFICATION_STARTS.max - 1])
  return last.start + 1
}

/** The number of the next start of a customer. Error: 409 after too many starts. */
async function nextStartOf(op: Op, customerId: string): Promise<number> {
  const starts = await findStartsOf(op, customerId, VERIFICATION_STARTS.ofCustomerMax)
  checkStarts(op, starts[VERIFICATION_STARTS.ofCustomerMax - 1])
  return (starts[0]?.customer_start ?? 0) + 1
}

/** Error: 409 if the oldest start that counts is too recent. */
function checkStarts(op: Op, oldest: AccountVerificationRow | undefined): void {
  const possibleAt = oldest && plusSeconds(oldest.created_at, VERIFICATION_STARTS.days * DAY_SECONDS)
  if (possibleAt && possibleAt > op.now)
    throw new ApiError('ACCOUNT_VERIFICATION_LIMIT_REACHED', {
      details: { field: FIELD, possibleAt: possibleAt.toISOString() },
    })
}

/** Error: 400 unless one rail carries both deposits, whatever their amounts are. */
async function checkCarried(op: Op, external: ExternalAccountRow): Promise<void> {
  const request = { ...toRouteRequest(external, NETWORK), direction: 'OUT' } as const
  const [least, most] = await Promise.all(
    [1n, BigInt(DEPOSIT_CENTS_MAX)].map((amount) => op.rails.route(op.platform.id, { ...request, amount })),
  )
  if (least && least === most) return
  throw fieldError('INVALID_INPUT', FIELD, 'No rail sends ACH payments of 1 to 99 cents to this account')
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
  const { transaction, account } = await draftWithoutLimits(op, parties, {
    amount,
    destination: { paymentRail: NETWORK },
  })
  const details = { ...transaction.details, isMicroDeposit: true }
  return beginTransfer(op, { transaction: { ...transaction, details }, account }, [])
}

/** True for the event about the balance, which both deposits have. */
function isEventOf({ id }: OwnedAccountRow, write: Write): boolean {
  return write.write === 'event' && write.objectId === id
}
