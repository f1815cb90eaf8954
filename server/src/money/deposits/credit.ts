import type { DepositReason } from '@countersign/contract/payments/deposits'
import { DEPOSIT_INITIAL, DEPOSIT_TRANSITIONS } from '@countersign/contract/states/deposit-states'
import {
  INCOMING_TRANSACTION_INITIAL,
  INCOMING_TRANSACTION_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import { buildBalanceEvent } from '../../kernel/accounts/accounts.ts'
import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { announce } from '../../kernel/transactions/moves.ts'
import { newTransaction } from '../../kernel/transactions/transactions.ts'
import { isDeleted } from '../../people/customers/customers.ts'
import { checkCurrencyLimits, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { InternalAccountRow, TransactionRow } from '../../storage/rows/tables.ts'
import { requestDecision } from '../incoming-payments/incoming-payments.ts'
import { buildDepositRailLeg, toDepositCause } from '../rails/deposit-rows.ts'
import { selectOwner } from './store.ts'

const ASSIGNED = DEPOSIT_TRANSITIONS[DEPOSIT_INITIAL].assign

/** The ledger account that holds a deposit's money before it is credited. */
export type MoneySource = 'rail' | 'suspense'

/** A credited deposit with its writes, or the reason why it cannot be credited. */
export type Credit =
  | { readonly row: DepositRow; readonly writes: readonly Write[] }
  | { readonly reason: DepositReason }

/**
 * Credits a deposit to an account. With `asksPlatform`, the money stays in suspense until the platform has
 * decided, except on a chain wallet, whose holder already has the money. Guards: the account is active and
 * its customer exists.
 */
export async function creditDeposit(
  op: Op,
  row: DepositRow,
  account: InternalAccountRow,
  from: MoneySource,
  needsPlatformDecision: boolean,
): Promise<Credit> {
  const reason = await findRefusal(op, row, account)
  if (reason) return { reason }
  const owner = account.customer_id === null ? undefined : await selectOwner(op, account.customer_id)
  const mustWait = owner !== undefined && needsPlatformDecision && account.chain_rail === null
  const receipt = newReceipt(op, row, account, mustWait)
  const transaction = { ...receipt, platform_customer_id: owner?.platform_customer_id ?? null }
  const creditedRow = {
    ...row,
    state: mustWait ? ASSIGNED : DEPOSIT_TRANSITIONS[ASSIGNED].credit,
    reason: null,
    account_id: account.id,
    transaction_id: receipt.id,
  }
  return {
    row: creditedRow,
    writes: [
      ...(account.customer_id === null
        ? []
        : [expectRow('customers', account.customer_id, { deleted_at: null })]),
      expectRow('internal_accounts', account.id, { status: 'ACTIVE' }),
      ...(from === 'suspense' && mustWait
        ? []
        : post(op, toDepositCause(row), creditLegs(row, account, from, mustWait))),
      insert('transactions', receipt),
      ...(mustWait
        ? await requestDecision(op, transaction)
        : [...announce(op, transaction), buildBalanceEvent(op, account)]),
    ],
  }
}

function creditLegs(
  row: DepositRow,
  { id }: InternalAccountRow,
  from: MoneySource,
  mustWait: boolean,
): Leg[] {
  const { currency, amount } = row
  return [
    from === 'rail' ? buildDepositRailLeg(row, -amount) : { system: from, currency, amount: -amount },
    mustWait ? { system: 'suspense', currency, amount } : { account: id, currency, amount },
  ]
}

async function findRefusal(
  op: Op,
  { currency, amount, rail, details }: DepositRow,
  account: InternalAccountRow,
): Promise<DepositReason | undefined> {
  if (account.currency !== currency) return 'OTHER_CURRENCY'
  if (isAtOtherAddress(account, rail, details.depositAccount)) return 'OTHER_RAIL'
  if (account.status !== 'ACTIVE') return 'ACCOUNT_NOT_ACTIVE'
  if (account.customer_id !== null) {
    if (await isDeleted(op, account.customer_id)) return 'CUSTOMER_DELETED'
    const owner = await selectOwner(op, account.customer_id)
    if (owner.verification_status !== 'APPROVED') return 'CUSTOMER_NOT_APPROVED'
  }
  if (!(await fitsBalance(op, [{ account: account.id, currency, amount }]))) return 'OUT_OF_RANGE'
  if (account.chain_rail !== null) return undefined
  try {
    checkCurrencyLimits(getPlatformConfig(op), 'INCOMING', currency, amount, 'amount')
  } catch (error) {
    if (error instanceof ApiError) return 'OUT_OF_RANGE'
    throw error
  }
  return undefined
}

/**
 * True if the account is a chain wallet and the money arrived at a different address, so it cannot be
 * credited.
 */
function isAtOtherAddress(
  { chain_rail, chain_address }: InternalAccountRow,
  rail: string,
  paidInTo: string,
): boolean {
  return chain_rail !== null && (rail !== chain_rail || paidInTo.toLowerCase() !== chain_address)
}

/** Builds the incoming payment for a credit, with the sender as the rail reported it. */
function newReceipt(op: Op, row: DepositRow, account: InternalAccountRow, mustWait: boolean): TransactionRow {
  const states = INCOMING_TRANSACTION_TRANSITIONS[INCOMING_TRANSACTION_INITIAL]
  return newTransaction(op, {
    kind: 'RECEIPT',
    type: 'INCOMING',
    direction: 'CREDIT',
    state: mustWait ? INCOMING_TRANSACTION_INITIAL : states.settle,
    customer_id: account.customer_id,
    destination_account_id: account.id,
    sent_amount: null,
    sent_currency: null,
    received_amount: row.amount,
    received_currency: account.currency,
    fees: 0n,
    details: { deposit: row.id, rail: row.rail, sender: row.details },
    ...(mustWait ? {} : { settled_at: op.now }),
  })
}
