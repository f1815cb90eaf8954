import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { platform_withdrawal_get, WithdrawalSource } from '@countersign/contract/operation/own-money'
import {
  PLATFORM_WITHDRAWAL_INITIAL,
  PLATFORM_WITHDRAWAL_TRANSITIONS,
  type PlatformWithdrawalEvent,
} from '@countersign/contract/states/own-money-states'
import { findPlatformAccount, type OwnedAccountRow } from '../../kernel/accounts/accounts.ts'
import { findSystemAccounts } from '../../kernel/ledger/balances.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import { checkUsable } from '../../money/external-accounts/account-changes.ts'
import { findExternalAccount } from '../../money/external-accounts/external-accounts.ts'
import { checkAvailable, draftPayment } from '../../money/transfers/transfer-out.ts'
import { beginTransfer, checkParties } from '../../money/transfers/transfers.ts'
import { findPlatform, markPlatformChanged } from '../../people/platforms/platforms.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, PlatformWithdrawalRow } from '../../storage/rows/own-money.ts'
import type { PlatformRow, TransactionRow } from '../../storage/rows/tables.ts'
import { selectWithdrawal } from './store.ts'

type WithdrawalView = SuccessOf<typeof platform_withdrawal_get>['body']

/** A withdrawal that was just sent. */
export interface SentWithdrawal {
  readonly row: PlatformWithdrawalRow
  readonly transaction: TransactionRow
  /** The writes of the payment and the event, without the withdrawal's row. */
  readonly writes: readonly Write[]
  /** The update of the withdrawal's row, if it is already stored. */
  readonly change: Write
}

/** Throws 404 `PLATFORM_WITHDRAWAL_NOT_FOUND`. */
export async function findWithdrawal(op: Op, id: string): Promise<PlatformWithdrawalRow> {
  const row = await selectWithdrawal(op, id)
  if (!row)
    throw new ApiError('PLATFORM_WITHDRAWAL_NOT_FOUND', { details: { field: 'platformWithdrawalId' } })
  return row
}

type WithdrawalRequest = Pick<
  PlatformWithdrawalRow,
  'source' | 'amount' | 'reason' | 'remittance_information' | 'is_sweep'
>

export function newWithdrawal(
  op: Op,
  account: OwnAccountRow,
  request: WithdrawalRequest,
): PlatformWithdrawalRow {
  return {
    id: op.newId('PlatformWithdrawal'),
    platform_id: op.platform.id,
    own_account_id: account.id,
    ...request,
    currency: account.currency,
    state: PLATFORM_WITHDRAWAL_INITIAL,
    code: null,
    message: null,
    transaction_id: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the withdrawal's state. */
export function checkWithdrawalEvent(
  { state }: PlatformWithdrawalRow,
  withdrawalEvent: PlatformWithdrawalEvent,
): void {
  checkEvent(PLATFORM_WITHDRAWAL_TRANSITIONS, state, withdrawalEvent, `The withdrawal is ${state}.`)
}

/** Guard: the withdrawal's state is unchanged. */
export function moveWithdrawal(
  op: Op,
  row: PlatformWithdrawalRow,
  withdrawalEvent: PlatformWithdrawalEvent,
  change: Partial<PlatformWithdrawalRow> = {},
) {
  return transition(op, 'platform_withdrawals', PLATFORM_WITHDRAWAL_TRANSITIONS, row, withdrawalEvent, change)
}

/** The operator's own money in one currency. */
export interface OwnMoney {
  readonly platform: PlatformRow
  /** The platform's account, which holds the operator's capital. */
  readonly account: OwnedAccountRow
  /** Negative if more fees were refunded than charged since the last withdrawal. */
  readonly fees: bigint
  readonly capital: bigint
}

/** Throws 400 `INVALID_CURRENCY` if the platform has no account in the currency. */
export async function findOwnMoney(op: Op, currency: string): Promise<OwnMoney> {
  // Read before the fees, so that the guard on the platform's version covers every earlier withdrawal of
  // fees.
  const platform = await findPlatform(op)
  const account = await findPlatformAccount(op, currency)
  if (!account)
    throw createFieldError('INVALID_CURRENCY', 'ownAccountId', `The platform has no ${currency} account.`)
  const [fees] = await findSystemAccounts(op, 'fees', [currency])
  return { platform, account, fees: fees?.posted ?? 0n, capital: account.posted - account.held }
}

/** The amount that can be withdrawn from a source. Negative fees do not reduce the capital. */
export function getAvailable({ fees, capital }: OwnMoney, source: WithdrawalSource): bigint {
  const charged = fees > 0n ? fees : 0n
  if (source === 'FEES') return charged
  return source === 'OWN_CAPITAL' ? capital : charged + capital
}

/**
 * Sends a withdrawal: in one write set, fees move to the platform's account, which then pays like POST
 * /transfer-out. Guards: the operator's account is active, the platform's account can spend the amount, and
 * no other withdrawal has taken the fees. Throws the errors of POST /transfer-out.
 */
export async function sendWithdrawal(
  op: Op,
  row: PlatformWithdrawalRow,
  own: OwnAccountRow,
  ownMoney: OwnMoney,
): Promise<SentWithdrawal> {
  if (own.state !== 'ACTIVE')
    throw createFieldError('INVALID_INPUT', 'ownAccountId', `This account is ${own.state}, not ACTIVE.`)
  if (own.purpose !== 'OWN_MONEY')
    throw createFieldError(
      'INVALID_INPUT',
      'ownAccountId',
      `The purpose of this account is ${own.purpose}. Use a treasury movement instead.`,
    )
  const { source, amount, currency, remittance_information: information } = row
  const { account, platform } = ownMoney
  checkAvailable(account, getAvailable(ownMoney, source), amount)
  const external = await findExternalAccount(op, own.external_account_id, 'ownAccountId')
  await checkUsable(op, external, 'ownAccountId')
  const parties = checkParties(account, 'source', external, 'destination')
  const draft = await draftPayment(op, parties, {
    amount,
    destination: {},
    ...(information === null ? {} : { remittanceInformation: information }),
  })
  // Risk limits apply to customers' payments and to other payees, not to the operator's own accounts.
  const { transaction, writes } = beginTransfer(op, draft, [])
  const charged = source === 'OWN_CAPITAL' ? 0n : getAvailable(ownMoney, 'FEES')
  const fromFees = charged < amount ? charged : amount
  const moved = moveWithdrawal(op, row, 'send', { transaction_id: transaction.id })
  const cause = { cause: 'transaction', causeId: transaction.id } as const
  const legs = [
    { system: 'fees', currency, amount: -fromFees },
    { account: account.id, currency, amount: fromFees },
  ] as const
  return {
    row: moved.row,
    writes: [
      expectRow('own_accounts', own.id, { state: own.state }),
      ...(fromFees > 0n ? [markPlatformChanged(op, platform), ...post(op, cause, legs)] : []),
      ...writes,
      await withdrawalEvent(op, 'SENT', moved.row, transaction),
    ],
    transaction,
    change: moved.write,
  }
}

function toMoney({ amount, currency }: PlatformWithdrawalRow) {
  if (!isKnownCurrency(currency)) throw new Error(`a withdrawal has the unknown currency ${currency}`)
  return { amount, currency: toCurrencyRecord(currency) }
}

/** The event of a changed withdrawal. `payment` is its transaction, if that changes in the same write set. */
export async function withdrawalEvent(
  op: Op,
  change: 'AWAITING_APPROVAL' | 'SENT' | 'COMPLETED' | 'FAILED' | 'CANCELED',
  row: PlatformWithdrawalRow,
  payment?: TransactionRow,
): Promise<Write> {
  return event(op, `PLATFORM_WITHDRAWAL.${change}`, row.id, await toWithdrawalView(op, row, payment))
}

/** `payment` is the transaction of a withdrawal that was just sent. */
export async function toWithdrawalView(
  op: Op,
  row: PlatformWithdrawalRow,
  payment?: TransactionRow,
): Promise<WithdrawalView> {
  const { code, message, transaction_id: transactionId } = row
  const transaction =
    payment ?? (transactionId === null ? undefined : await findTransaction(op, transactionId))
  return present({
    id: row.id,
    status: row.state,
    ownAccountId: row.own_account_id,
    source: row.source,
    amount: toMoney(row),
    reason: row.reason,
    remittanceInformation: row.remittance_information,
    isSweep: row.is_sweep,
    transactionId,
    transactionStatus: transaction?.state,
    error: code === null || message === null ? undefined : { code, message },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
