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
import { coldStorageOf, SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, TreasuryMovementRow } from '../../storage/rows/own-money.ts'
import { selectMovement } from './store.ts'

/**
 * The end of a movement: the chain reports its transfers and its payment's outcome. The books follow the
 * transfers, which may be reorged away and reappear; the record follows the payment.
 */

/** Money that has moved between a treasury and cold storage. */
export interface MovedMoney {
  readonly movementId: string
  readonly rail: string
  readonly currency: string
  /** Smallest unit. */
  readonly amount: bigint
}

/** Books it: cold storage has a separate account, so the account of the rail equals what its own keys move. */
export function bookMovement(op: Op, moved: MovedMoney, direction: TreasuryDirection): readonly Write[] {
  const { movementId, rail, currency } = moved
  const toCold = direction === 'TO_COLD_STORAGE' ? moved.amount : -moved.amount
  return post(op, { cause: 'treasury_movement', causeId: movementId }, [
    { ...treasuryOf(rail, currency), amount: toCold },
    { system: 'rail', rail: coldStorageOf(rail), currency, amount: -toCold },
  ])
}

/** The account of a rail in the ledger. That of the sandbox has no name. */
export function treasuryOf(rail: string, currency: string): Omit<Extract<Leg, { system: string }>, 'amount'> {
  return { system: 'rail', currency, ...(rail === SANDBOX_RAIL ? {} : { rail }) }
}

/** The end of a movement's payment. */
export interface MovementEnd {
  readonly transactionHash?: string
  readonly failure?: { readonly code: string; readonly message: string }
}

/** Ends a movement with the outcome of its payment. Does nothing if the outcome is already known. */
export async function endMovement(
  op: Op,
  id: string,
  event: 'deliver' | 'fail',
  { transactionHash, failure }: MovementEnd,
): Promise<readonly Write[]> {
  const row = await selectMovement(op, id)
  if (!row) throw new Error(`${id} does not exist`)
  if (event === 'fail') return row.state === 'FAILED' ? [] : [failed(op, row, failure).write]
  if (row.state === 'COMPLETED') return []
  return [moveMovement(op, row, 'complete', { transaction_hash: transactionHash ?? null }).write]
}

const FAULT = { code: 'UNAVAILABLE', message: 'The transfer could not be made' } as const

function failed(
  op: Op,
  row: TreasuryMovementRow,
  { code, message }: { readonly code: string; readonly message: string } = FAULT,
) {
  return moveMovement(op, row, 'fail', { code, message })
}

/** Money that has come from cold storage. */
export interface ReturnedMoney {
  /** The id of its new record. */
  readonly id: string
  readonly account: Pick<OwnAccountRow, 'id'>
  readonly rail: string
  readonly network: TreasuryMovementRow['network']
  readonly address: Hex
  readonly currency: string
  /** Smallest unit. */
  readonly amount: bigint
  readonly transactionHash: string
}

/** Records and books returned money. It covers the same balances as before, so no account is credited. */
export function returned(
  op: Op,
  money: ReturnedMoney,
): { readonly row: TreasuryMovementRow; readonly writes: readonly Write[] } {
  const { account, transactionHash, ...where } = money
  const draft: TreasuryMovementRow = {
    ...where,
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
      ...bookMovement(op, { ...where, movementId: row.id }, 'FROM_COLD_STORAGE'),
    ],
  }
}

/** Money at a retired treasury address, for the record of its transfer. `address` is the current one. */
export type RotatedMoney = Pick<
  TreasuryMovementRow,
  'id' | 'rail' | 'network' | 'address' | 'currency' | 'amount'
>

/** The record of a transfer that a rotation makes. The books have one account for all addresses of a treasury. */
export function rotated(op: Op, money: RotatedMoney): TreasuryMovementRow {
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
 * Reverses money from cold storage whose block was reorged away. If it arrives again, it is another movement.
 */
export async function returnLost(op: Op, id: string): Promise<readonly Write[]> {
  const row = await selectMovement(op, id)
  if (!row) throw new Error(`${id} does not exist`)
  const { rail, currency, amount } = row
  return [
    failed(op, row, GONE).write,
    ...bookMovement(op, { movementId: id, rail, currency, amount }, 'TO_COLD_STORAGE'),
  ]
}

/** Guard: it is in the state that was read. */
export function moveMovement(
  op: Op,
  row: TreasuryMovementRow,
  by: TreasuryMovementEvent | readonly TreasuryMovementEvent[],
  change: Partial<TreasuryMovementRow> = {},
) {
  return transition(op, 'treasury_movements', TREASURY_MOVEMENT_TRANSITIONS, row, by, change)
}
