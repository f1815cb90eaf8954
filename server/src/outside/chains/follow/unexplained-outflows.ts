import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { TRANSFER_OUT_INITIAL, TRANSFER_OUT_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { toChecksumAddress } from '../../../base/formats/addresses.ts'
import {
  buildBalanceEvent,
  findOwnedAccount,
  type OwnedAccountRow,
} from '../../../kernel/accounts/accounts.ts'
import { type Leg, post } from '../../../kernel/ledger/transfers.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { announce, moveTransaction } from '../../../kernel/transactions/moves.ts'
import { findTransaction, newTransaction } from '../../../kernel/transactions/transactions.ts'
import { takeBack } from '../../../money/rails/reverse-credit.ts'
import { recordWalletDebt } from '../../../money/rails/wallet-debts.ts'
import { insert, type Write } from '../../../storage/commit/writes.ts'
import { requireColumn } from '../../../storage/read/required.ts'
import type { ChainAddressRow, ChainMovementRow } from '../../../storage/rows/chain.ts'
import type { InternalAccountRow } from '../../../storage/rows/tables.ts'

/** The result of booking money that left one of our addresses without one of our payments. */
export interface Outflow {
  /** The id of its transaction record, or null if it was not recorded. */
  readonly itemId: string | null
  readonly writes: readonly Write[]
}

const { settle: SETTLED } = TRANSFER_OUT_TRANSITIONS[TRANSFER_OUT_INITIAL]

/**
 * Books money that left an address without one of our payments because its key was used elsewhere. A wallet's
 * key belongs to its customer, so the ledger books the outflow with a record and events; payments in progress
 * from the wallet may then fail on the chain, and until they do, the customer owes the shortfall. All other
 * keys are only in the enclave, so their use raises an alert, and reconciliation shows the difference until
 * an operator books it.
 */
export async function recordOutflow(
  op: Op,
  movement: ChainMovementRow,
  from: ChainAddressRow,
): Promise<Outflow> {
  if (from.role !== 'WALLET') return raiseOutflowAlert(op, movement, from)
  const wallet = await findOwnedAccount(op, requireColumn(from, 'owner_id'), 'accountId')
  const record = buildRecord(op, movement, wallet)
  const cause = { cause: 'transaction', causeId: record.id } as const
  const isBooked = isBookedTo(wallet, movement)
  const debit = isBooked
    ? await takeBack(op, cause, wallet, buildRailLeg(movement, movement.amount))
    : { writes: post(op, cause, buildOutflowLegs(movement, 1n)), shortfall: 0n }
  const { shortfall } = debit
  const counterparty = shortfall > 0n ? { shortfall: String(shortfall) } : undefined
  const row = { ...record, details: { ...record.details, ...(counterparty ? { counterparty } : {}) } }
  const { platform_customer_id } = wallet
  return {
    itemId: row.id,
    writes: [
      ...debit.writes,
      insert('transactions', row),
      ...announce(op, { ...row, platform_customer_id }),
      ...(isBooked ? [buildBalanceEvent(op, wallet)] : []),
      ...(shortfall > 0n ? [recordWalletDebt(op, wallet.id, row.id, shortfall)] : []),
    ],
  }
}

/**
 * Reverses the booking of an outflow whose block was reorged away and which did not reappear. Amounts owed
 * for it stay covered.
 */
export async function undoOutflow(op: Op, movement: ChainMovementRow): Promise<readonly Write[]> {
  const { rail, transaction_hash: transactionHash, item_id: itemId } = movement
  op.log.error({ rail, transactionHash }, 'unexplained outflow was reorged away')
  if (itemId === null) return []
  const record = await findTransaction(op, itemId)
  const wallet = await findOwnedAccount(op, requireColumn(record, 'source_account_id'), 'accountId')
  const { currency, amount } = movement
  const isBooked = isBookedTo(wallet, movement)
  const ledgerLegs = isBooked
    ? [buildRailLeg(movement, -amount), { account: wallet.id, currency, amount }]
    : buildOutflowLegs(movement, -1n)
  return [
    ...post(op, { cause: 'transaction', causeId: record.id }, ledgerLegs),
    ...moveTransaction(op, record, 'return', { failure_reason: 'QUOTE_EXECUTION_FAILED' }).writes,
    ...(isBooked ? [buildBalanceEvent(op, wallet)] : []),
  ]
}

function raiseOutflowAlert(op: Op, movement: ChainMovementRow, { address, role }: ChainAddressRow): Outflow {
  const { rail, transaction_hash: transactionHash, currency, amount } = movement
  op.metrics.chainAlert(rail, 'treasury')
  op.log.error(
    { rail, address, role, transactionHash, currency, amount: String(amount) },
    'unexplained outflow from an address',
  )
  return { itemId: null, writes: [] }
}

/**
 * Builds the record of a payment that the key's owner made directly, so it is already done when we see it.
 */
function buildRecord(op: Op, movement: ChainMovementRow, wallet: InternalAccountRow) {
  const { amount, recipient, transaction_hash: transactionHash, rail } = movement
  const { currency } = movement
  if (!isKnownCurrency(currency)) throw new Error(`The rail ${rail} has a token in ${currency}`)
  return newTransaction(op, {
    kind: 'TRANSFER_OUT',
    type: 'OUTGOING',
    direction: 'DEBIT',
    state: SETTLED,
    customer_id: wallet.customer_id,
    source_account_id: wallet.id,
    destination_identifier: toChecksumAddress(recipient.slice(2)),
    sent_amount: amount,
    sent_currency: currency,
    received_amount: amount,
    received_currency: currency,
    fees: 0n,
    description: 'Paid with the key of the wallet, without this server',
    details: { isByOwnKey: true, transactionHash, rail },
    settled_at: op.now,
  })
}

/**
 * True if the wallet's ledger account had the money. Closed accounts are empty, and other tokens were never
 * credited.
 */
function isBookedTo(wallet: OwnedAccountRow, { currency }: ChainMovementRow): boolean {
  return wallet.owner_deleted_at === null && wallet.status === 'ACTIVE' && wallet.currency === currency
}

function buildRailLeg({ rail, currency }: ChainMovementRow, amount: bigint): Leg {
  return { system: 'rail', rail, currency, amount }
}

/**
 * The ledger legs of an outflow of suspense money from a wallet's address. Both sides stay visible until an
 * operator resolves them.
 */
function buildOutflowLegs(movement: ChainMovementRow, sign: 1n | -1n): Leg[] {
  const amount = sign * movement.amount
  return [
    buildRailLeg(movement, amount),
    { system: 'receivables', currency: movement.currency, amount: -amount },
  ]
}
