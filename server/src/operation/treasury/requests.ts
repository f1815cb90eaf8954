import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  treasury_movement_create,
  treasury_movement_get,
} from '@countersign/contract/operation/treasury'
import {
  TREASURY_MOVEMENT_INITIAL,
  TREASURY_MOVEMENT_TRANSITIONS,
  type TreasuryMovementEvent,
} from '@countersign/contract/states/own-money-states'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { findLedgerBalance } from '../../kernel/ledger/balances.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { toColdStorageName } from '../../kernel/ports/rail.ts'
import { findPlatform, markPlatformChanged } from '../../people/platforms/platforms.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, TreasuryMovementRow } from '../../storage/rows/own-money.ts'
import { type ColdStorage, findColdStorage } from '../own-money/cold-storage.ts'
import { buildTreasuryLeg, moveMovement } from './movements.ts'
import { selectMovement, selectSumSent } from './store.ts'

type MovementView = SuccessOf<typeof treasury_movement_get>['body']

/** Throws 404 `TREASURY_MOVEMENT_NOT_FOUND`. */
export async function findMovement(op: Op, id: string): Promise<TreasuryMovementRow> {
  const row = await selectMovement(op, id)
  if (!row) throw new ApiError('TREASURY_MOVEMENT_NOT_FOUND', { details: { field: 'treasuryMovementId' } })
  return row
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the movement's state. */
export function checkMovementEvent({ state }: TreasuryMovementRow, by: TreasuryMovementEvent): void {
  checkEvent(TREASURY_MOVEMENT_TRANSITIONS, state, by, `The movement is ${state}.`)
}

/** Creates a movement to cold storage. Errors: as `findColdStorage`. */
export async function newMovement(
  op: Op,
  account: OwnAccountRow,
  { amount, reason }: BodyOf<typeof treasury_movement_create>,
): Promise<TreasuryMovementRow> {
  const { railName, network, address } = await findColdStorage(op, account, 'ownAccountId')
  return {
    id: op.newId('TreasuryMovement'),
    platform_id: op.platform.id,
    own_account_id: account.id,
    direction: 'TO_COLD_STORAGE',
    rail: railName,
    network,
    address,
    amount,
    currency: account.currency,
    state: TREASURY_MOVEMENT_INITIAL,
    reason,
    transaction_hash: null,
    code: null,
    message: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/**
 * A movement that was just sent, with the writes of its transfer and, if it was stored before, the update of
 * its row.
 */
export interface SentMovement {
  readonly row: TreasuryMovementRow
  readonly writes: readonly Write[]
  readonly change: Write
}

/**
 * Sends a movement, which waits while payments in progress need the treasury's money. Guards: the
 * registration of the address is active, and no other movement was sent after the balance was read. Throws
 * 400 `INVALID_INPUT` or `INSUFFICIENT_BALANCE`, and 503 `UNAVAILABLE` until the chain has been reached.
 */
export async function sendMovement(
  op: Op,
  row: TreasuryMovementRow,
  account: OwnAccountRow,
): Promise<SentMovement> {
  if (account.state !== 'ACTIVE')
    throw createFieldError('INVALID_INPUT', 'ownAccountId', `This account is ${account.state}, not ACTIVE.`)
  // Read before the balance, so that the guard on the platform's version covers every earlier movement.
  const platform = await findPlatform(op)
  const cold = await findColdStorage(op, account, 'ownAccountId')
  if (cold.railName !== row.rail)
    throw createFieldError(
      'INVALID_INPUT',
      'ownAccountId',
      `The account is now on chain ${cold.railName}, but the movement is on ${row.rail}.`,
    )
  await checkTreasury(op, row)
  const moved = moveMovement(op, row, 'send')
  return {
    row: moved.row,
    change: moved.write,
    writes: [
      expectRow('own_accounts', account.id, { state: account.state }),
      markPlatformChanged(op, platform),
      newTransfer(op, row, cold),
    ],
  }
}

/** The transfer: an entry in the chain's queue, or a job in the sandbox. */
function newTransfer(
  op: Op,
  { id, currency, amount, address }: TreasuryMovementRow,
  { chain }: ColdStorage,
): Write {
  if (chain) return chain.move(op, { id, currency, amount, recipient: address })
  return job(op, 'treasury.settle', { treasuryMovementId: id }, op.now)
}

/**
 * Throws 400 `INSUFFICIENT_BALANCE` if the amount exceeds the treasury's ledger balance minus unbooked sent
 * amounts. That sum is read first, so a movement booked between the reads is subtracted twice but never
 * missed.
 */
async function checkTreasury(op: Op, { rail, currency, amount }: TreasuryMovementRow): Promise<void> {
  const sent = await selectSumSent(op, rail, currency)
  const available = (await findLedgerBalance(op, buildTreasuryLeg(rail, currency))) - sent
  if (amount > available) throw createInsufficientBalanceError('The treasury', available, amount, currency)
}

/**
 * Returns the guard against another movement in the meantime. Throws 400 `INSUFFICIENT_BALANCE` if the amount
 * exceeds the ledger balance of the rail's cold storage.
 */
export async function checkColdStorage(
  op: Op,
  rail: string,
  currency: string,
  amount: bigint,
): Promise<Write> {
  const platform = await findPlatform(op)
  const available = await findLedgerBalance(op, { system: 'rail', rail: toColdStorageName(rail), currency })
  if (amount > available) throw createInsufficientBalanceError('Cold storage', available, amount, currency)
  return markPlatformChanged(op, platform)
}

function createInsufficientBalanceError(
  owner: string,
  available: bigint,
  amount: bigint,
  currency: string,
): ApiError {
  if (!isKnownCurrency(currency)) throw new Error(`a treasury has the unknown currency ${currency}`)
  const [has, needs] = [available > 0n ? available : 0n, amount].map((units) =>
    formatCurrencyAmount(units, currency),
  )
  return new ApiError('INSUFFICIENT_BALANCE', {
    message: `${owner} has ${has}, not ${needs}.`,
    details: { field: 'amount' },
  })
}

export function toTreasuryMovementView(row: TreasuryMovementRow): MovementView {
  const { currency, amount, code, message } = row
  if (!isKnownCurrency(currency)) throw new Error(`a movement has the unknown currency ${currency}`)
  return present({
    id: row.id,
    status: row.state,
    direction: row.direction,
    ownAccountId: row.own_account_id,
    rail: row.rail,
    network: row.network,
    address: toChecksumAddress(row.address.slice(2)),
    amount: { amount, currency: toCurrencyRecord(currency) },
    reason: row.reason,
    transactionHash: row.transaction_hash,
    error: code === null || message === null ? undefined : { code, message },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
