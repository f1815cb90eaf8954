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
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { FIRST_KEY } from '../../kernel/ports/enclave.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import { randomBelow } from '../../people/sign-in/one-time-codes.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'
import type { CustomerRow, ExternalAccountRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import {
  buildVerificationEvent,
  findAccountStarts,
  findCurrentVerification,
  findCustomerStarts,
} from '../external-accounts/account-verifications.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { checkAvailable, draftWithoutLimits } from './transfer-out.ts'
import { beginTransfer, type StartedTransfer, toRouteRequest } from './transfers.ts'

const CURRENCY = 'USD'
/** Other networks may cost more than the deposit. */
const NETWORK = 'ACH'
const FIELD = 'externalAccountId'
const DAY_SECONDS = 24 * 3600

export interface NewVerification {
  readonly row: AccountVerificationRow
  readonly writes: readonly Write[]
}

/**
 * Starts a verification with two payments from the platform's account. Guards: the account is unchanged and
 * has no other verification, its owner is still approved, no other start was counted, and the platform's
 * account can spend both amounts. Throws 400 unless it is a customer's US bank account and a rail carries the
 * deposits; 403 if the customer is not approved; 409 `ACCOUNT_VERIFICATION_EXISTS` and
 * `ACCOUNT_VERIFICATION_LIMIT_REACHED`.
 */
export async function createVerification(
  op: Op,
  { externalAccountId, sourceAccountId }: BodyOf<typeof account_verification_create>,
): Promise<NewVerification> {
  const external = await findExternalAccount(op, externalAccountId)
  const { customerId, accountDigest } = toVerifiableAccount(op, external)
  const customer = await findApprovedCustomer(op, customerId)
  await checkUnverified(op, external)
  await checkUsable(op, external, FIELD)
  const start = await findNextStart(op, accountDigest, customer.id)
  const customer_start = await findNextCustomerStart(op, customer.id)
  await checkRailCarriesDeposits(op, external)
  const source = await findSource(op, sourceAccountId)
  const [first, second] = chooseAmounts(op)
  checkAvailable(source, source.posted - source.held, first + second)
  const firstDeposit = await beginDeposit(op, source, external, first)
  const secondDeposit = await beginDeposit(op, source, external, second)
  const row: AccountVerificationRow = {
    id: op.newId('AccountVerification'),
    platform_id: op.platform.id,
    customer_id: customer.id,
    external_account_id: external.id,
    source_account_id: source.id,
    first_transaction_id: firstDeposit.transaction.id,
    second_transaction_id: secondDeposit.transaction.id,
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
  const accountChange = { changes: changes + 1, verification_status: row.state, updated_at: op.now }
  return {
    row,
    writes: [
      ...firstDeposit.writes.filter((write) => !isBalanceEvent(source, write)),
      ...secondDeposit.writes,
      insert('account_verifications', row),
      update('external_accounts', external.id, { changes, deleted_at: null }, accountChange),
      expectRow('customers', customer.id, { deleted_at: null, verification_status }),
      buildVerificationEvent(op, row),
    ],
  }
}

/** The owner and the digest of an account. Throws 400 if the account cannot be verified. */
function toVerifiableAccount(
  op: Op,
  { customer_id: customerId, account_info, currency }: ExternalAccountRow,
) {
  if (customerId === null || account_info.accountType !== 'USD_ACCOUNT' || currency !== CURRENCY)
    throw createFieldError(
      'INVALID_INPUT',
      FIELD,
      "Only a customer's US bank account can be verified with deposits.",
    )
  const { routingNumber, accountNumber } = account_info
  // Banks read a number with and without leading zeros as the same account.
  const name = `${op.platform.id} ${routingNumber} ${accountNumber.replace(/^0+/, '')}`
  const accountDigest = Buffer.from(op.enclave.mac('accountVerification', name, FIRST_KEY)).toString('hex')
  return { customerId, accountDigest }
}

/** Throws 404 and 410 naming the account, 403 `USER_NOT_READY`. */
async function findApprovedCustomer(op: Op, id: string): Promise<CustomerRow> {
  const customer = await findCustomer(op, id, FIELD)
  if (customer.verification_status !== 'APPROVED') throw new ApiError('USER_NOT_READY')
  return customer
}

async function checkUnverified(op: Op, { id }: ExternalAccountRow): Promise<void> {
  const current = await findCurrentVerification(op, id)
  if (current)
    throw new ApiError('ACCOUNT_VERIFICATION_EXISTS', {
      details: { field: FIELD, ...toErrorDetails(current) },
    })
}

function toErrorDetails({ id, state }: AccountVerificationRow) {
  return { accountVerificationId: id, status: state }
}

/**
 * The number of the next start for a bank account across all customers. Throws 409 while deposits of the last
 * start are in progress, naming it only to its own customer, and after too many starts.
 */
async function findNextStart(op: Op, accountDigest: string, customerId: string): Promise<number> {
  const starts = await findAccountStarts(op, accountDigest, VERIFICATION_STARTS.max)
  const [last] = starts
  if (!last) return 1
  const deposits = await Promise.all(
    [last.first_transaction_id, last.second_transaction_id].map((id) => findTransaction(op, id)),
  )
  if (deposits.some(({ state }) => state === TRANSFER_OUT_INITIAL))
    throw new ApiError('ACCOUNT_VERIFICATION_EXISTS', {
      message: 'Earlier deposits to this bank account are still in progress. Try again when they have ended.',
      details: { field: FIELD, ...(last.customer_id === customerId ? toErrorDetails(last) : {}) },
    })
  checkStarts(op, starts[VERIFICATION_STARTS.max - 1])
  return last.start + 1
}

/** The number of the customer's next start. Throws 409 after too many starts. */
async function findNextCustomerStart(op: Op, customerId: string): Promise<number> {
  const starts = await findCustomerStarts(op, customerId, VERIFICATION_STARTS.ofCustomerMax)
  checkStarts(op, starts[VERIFICATION_STARTS.ofCustomerMax - 1])
  return (starts[0]?.customer_start ?? 0) + 1
}

/** Throws 409 if the oldest start that counts is too recent. */
function checkStarts(op: Op, oldest: AccountVerificationRow | undefined): void {
  const possibleAt = oldest && addSeconds(oldest.created_at, VERIFICATION_STARTS.days * DAY_SECONDS)
  if (possibleAt && possibleAt > op.now)
    throw new ApiError('ACCOUNT_VERIFICATION_LIMIT_REACHED', {
      details: { field: FIELD, possibleAt: possibleAt.toISOString() },
    })
}

/** Throws 400 unless one rail carries both deposits regardless of their amounts. */
async function checkRailCarriesDeposits(op: Op, external: ExternalAccountRow): Promise<void> {
  const request = { ...toRouteRequest(external, NETWORK), direction: 'OUT' } as const
  const [smallestRail, largestRail] = await Promise.all(
    [1n, BigInt(DEPOSIT_CENTS_MAX)].map((amount) => op.rails.route(op.platform.id, { ...request, amount })),
  )
  if (smallestRail && smallestRail === largestRail) return
  throw createFieldError(
    'INVALID_INPUT',
    FIELD,
    'No rail can send ACH payments of 1 to 99 cents to this account.',
  )
}

/**
 * The platform's account that pays. Throws 404, or 400 if it is a customer's account or not in USD, naming
 * `sourceAccountId`.
 */
async function findSource(op: Op, id: string | undefined): Promise<OwnedAccountRow> {
  const field = 'sourceAccountId'
  const source =
    id === undefined ? await findPlatformAccount(op, CURRENCY) : await findOwnedAccount(op, id, field)
  if (!source)
    throw createFieldError('INVALID_CURRENCY', field, `The platform has no account in ${CURRENCY}.`)
  if (source.customer_id !== null)
    throw createFieldError('INVALID_INPUT', field, 'The deposits must come from an account of the platform.')
  if (source.currency !== CURRENCY)
    throw createFieldError(
      'INVALID_CURRENCY',
      field,
      `This account is in ${source.currency}, but it must be in ${CURRENCY}.`,
    )
  if (source.status !== 'ACTIVE')
    throw createFieldError(
      'INVALID_INPUT',
      field,
      `This account is ${source.status}, so it cannot pay the deposits.`,
    )
  return source
}

/** Two different amounts in cents. */
function chooseAmounts(op: Op): readonly [bigint, bigint] {
  const first = 1 + randomBelow(op, DEPOSIT_CENTS_MAX)
  const second = 1 + randomBelow(op, DEPOSIT_CENTS_MAX - 1)
  return [BigInt(first), BigInt(second < first ? second : second + 1)]
}

/** The platform's limits do not apply, because its minimum payment may be larger than a deposit. */
async function beginDeposit(
  op: Op,
  internal: OwnedAccountRow,
  external: ExternalAccountRow,
  amount: bigint,
): Promise<StartedTransfer> {
  const balance = { available: internal.posted - internal.held, total: internal.posted }
  const parties = { internal, external, platformCustomerId: null, balance }
  const { transaction, account } = await draftWithoutLimits(op, parties, {
    amount,
    destination: { paymentRail: NETWORK },
  })
  const details = { ...transaction.details, isMicroDeposit: true }
  return beginTransfer(op, { transaction: { ...transaction, details }, account }, [])
}

/** True for the balance event, which both deposits have. */
function isBalanceEvent({ id }: OwnedAccountRow, write: Write): boolean {
  return write.write === 'event' && write.objectId === id
}
