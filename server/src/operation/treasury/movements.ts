import type { TreasuryDirection } from '@countersign/contract/operation/treasury'
import {
  TREASURY_MOVEMENT_INITIAL,
  TREASURY_MOVEMENT_TRANSITIONS,
  type TreasuryMovementEvent,
} from '@countersign/contract/states/own-money-states'
import type { Hex } from '../../base/formats/hex.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { SANDBOX_RAIL, toColdStorageName } from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, TreasuryMovementRow } from '../../storage/rows/own-money.ts'
import { selectMovement } from './store.ts'

/**
 * Movements follow two reports of the chain. Transfers change the ledger and may be undone and repeated by a
 * reorg; the outcome of the payment changes the movement's record.
 */

/** Money that has moved between a treasury and cold storage. */
export interface MovedMoney {
  readonly movementId: string
  readonly rail: string
  readonly currency: string
  /** In the smallest unit. */
  readonly amount: bigint
}

/**
 * Books a transfer to or from cold storage. Cold storage has its own account, so the rail's account equals
 * the money that the server's keys can move.
 */
export function bookMovement(op: Op, money: MovedMoney, direction: TreasuryDirection): readonly Write[] {
  const { movementId, rail, currency } = money
  const toCold = direction === 'TO_COLD_STORAGE' ? money.amount : -money.amount
  return post(op, { cause: 'treasury_movement', causeId: movementId }, [
    { ...buildTreasuryLeg(rail, currency), amount: toCold },
    { system: 'rail', rail: toColdStorageName(rail), currency, amount: -toCold },
  ])
}

/** The account of a rail in the ledger. The sandbox's account has no rail name. */
export function buildTreasuryLeg(
  rail: string,
  currency: string,
): Omit<Extract<Leg, { system: string }>, 'amount'> {
  return { system: 'rail', currency, ...(rail === SANDBOX_RAIL ? {} : { rail }) }
}

/** The outcome of a movement's payment. */
export interface MovementEnd {
  readonly transactionHash?: string
  readonly failure?: { readonly code: string; readonly message: string }
}

/** Ends a movement with the outcome of its payment. Idempotent. */
export async function endMovement(
  op: Op,
  id: string,
  event: 'deliver' | 'fail',
  { transactionHash, failure }: MovementEnd,
): Promise<readonly Write[]> {
  const row = await selectMovement(op, id)
  if (!row) throw new Error(`${id} does not exist`)
  if (event === 'fail') return row.state === 'FAILED' ? [] : [failMovement(op, row, failure).write]
  if (row.state === 'COMPLETED') return []
  return [moveMovement(op, row, 'complete', { transaction_hash: transactionHash ?? null }).write]
}

const FAULT = { code: 'UNAVAILABLE', message: 'The transfer failed' } as const

function failMovement(
  op: Op,
  row: TreasuryMovementRow,
  { code, message }: { readonly code: string; readonly message: string } = FAULT,
) {
  return moveMovement(op, row, 'fail', { code, message })
}

/** Money that has arrived from cold storage. */
export interface ReturnedMoney {
  /** The id of the record to create. */
  readonly id: string
  readonly account: Pick<OwnAccountRow, 'id'>
  readonly rail: string
  readonly network: TreasuryMovementRow['network']
  readonly address: Hex
  readonly currency: string
  /** In the smallest unit. */
  readonly amount: bigint
  readonly transactionHash: string
}

/**
 * Records and books money that returned from cold storage. No other account is credited, because it backs the
 * same balances as before.
 */
export function recordReturn(
  op: Op,
  money: ReturnedMoney,
): { readonly row: TreasuryMovementRow; readonly writes: readonly Write[] } {
  const { account, transactionHash, ...transfer } = money
  const draft: TreasuryMovementRow = {
    ...transfer,
    platform_id: op.platform.id,
    own_account_id: account.id,
    direction: 'FROM_COLD_STORAGE',
    state: TREASURY_MOVEMENT_INITIAL,
    reason: null,
    transaction_hash: transactionHash,
    code: null,
    message: null,
    created_at: op.now,
    updated_at: op.now,
  }
  const { row } = moveMovement(op, draft, ['send', 'complete'])
  return {
    row,
    writes: [
      insert('treasury_movements', row),
      ...bookMovement(op, { ...transfer, movementId: row.id }, 'FROM_COLD_STORAGE'),
    ],
  }
}

/** Money to move from a retired treasury address to the current one, `address`. */
export type RotatedMoney = Pick<
  TreasuryMovementRow,
  'id' | 'rail' | 'network' | 'address' | 'currency' | 'amount'
>

/**
 * Creates the record of a transfer for a key rotation. It books nothing, because all addresses of a treasury
 * share one account.
 */
export function buildRotation(op: Op, money: RotatedMoney): TreasuryMovementRow {
  const draft: TreasuryMovementRow = {
    ...money,
    platform_id: op.platform.id,
    own_account_id: null,
    direction: 'KEY_ROTATION',
    state: TREASURY_MOVEMENT_INITIAL,
    reason: null,
    transaction_hash: null,
    code: null,
    message: null,
    created_at: op.now,
    updated_at: op.now,
  }
  return moveMovement(op, draft, 'send').row
}

const GONE = { code: 'UNAVAILABLE', message: 'The block of this transfer was reorganized away' } as const

/**
 * Reverses money from cold storage whose block was reorged away. If it arrives again, that is another
 * movement.
 */
export async function reverseLost(op: Op, id: string): Promise<readonly Write[]> {
  const row = await selectMovement(op, id)
  if (!row) throw new Error(`${id} does not exist`)
  const { rail, currency, amount } = row
  return [
    failMovement(op, row, GONE).write,
    ...bookMovement(op, { movementId: id, rail, currency, amount }, 'TO_COLD_STORAGE'),
  ]
}

/** Guard: the movement's state is unchanged. */
export function moveMovement(
  op: Op,
  row: TreasuryMovementRow,
  by: TreasuryMovementEvent | readonly TreasuryMovementEvent[],
  change: Partial<TreasuryMovementRow> = {},
) {
  return transition(op, 'treasury_movements', TREASURY_MOVEMENT_TRANSITIONS, row, by, change)
}
