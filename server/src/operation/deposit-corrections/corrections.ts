import type { DepositReason } from '@countersign/contract/payments/deposits'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { walletOf } from '../../money/deposits/decide.ts'
import { depositView } from '../../money/deposits/deposits.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'

export type FaultOfCorrection =
  | 'WALLET_ADDRESS'
  | 'REVERSED'
  | 'ALREADY_ADJUSTED'
  | 'NOT_BOOKED'
  | 'BOOKED_TWICE'
  | 'NO_DIFFERENCE'

export function notCorrectable(reason: FaultOfCorrection, message: string): ApiError {
  return new ApiError('DEPOSIT_NOT_CORRECTABLE', { message, details: { reason } })
}

/**
 * Throws 409 `DEPOSIT_NOT_CORRECTABLE` if the deposit was made to a wallet: its money belongs to the wallet's
 * holder.
 */
export async function checkNoWallet(op: Op, row: DepositRow): Promise<void> {
  const wallet = await walletOf(op, row)
  if (wallet)
    throw notCorrectable(
      'WALLET_ADDRESS',
      `This deposit is at the own address of a wallet: it can only be assigned to ${wallet.id}.`,
    )
}

/** A new deposit in suspense that takes over money of another deposit. Bank files do not report it. */
export function newPart(
  op: Op,
  row: DepositRow,
  {
    amount,
    reason,
    note,
  }: { readonly amount: bigint; readonly reason: DepositReason; readonly note: string },
): DepositRow {
  const { from, confirmedBy, entryReference, adjustedFrom, booked, ...details } = row.details
  return {
    ...row,
    id: op.newId('Deposit'),
    amount,
    state: 'SUSPENSE',
    reason,
    details: { ...details, note },
    account_id: null,
    transaction_id: null,
    parent_id: row.id,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Inserts new parts, each with an event that a deposit is waiting for a decision. */
export function insertParts(op: Op, parts: readonly DepositRow[]): Write[] {
  return parts.flatMap((part) => [
    insert('deposits', part),
    event(op, 'DEPOSIT.SUSPENDED', part.id, depositView(part)),
  ])
}

export function correctionEvent(op: Op, row: DepositRow): Write {
  return event(op, 'DEPOSIT.CORRECTED', row.id, depositView(row))
}
