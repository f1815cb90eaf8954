import type { DepositReason } from '@countersign/contract/payments/deposits'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { findDepositWallet } from '../../money/deposits/decide.ts'
import { depositView } from '../../money/deposits/deposits.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'

export type CorrectionFault =
  | 'WALLET_ADDRESS'
  | 'REVERSED'
  | 'ALREADY_ADJUSTED'
  | 'NOT_BOOKED'
  | 'BOOKED_TWICE'
  | 'NO_DIFFERENCE'

export function createNotCorrectableError(reason: CorrectionFault, message: string): ApiError {
  return new ApiError('DEPOSIT_NOT_CORRECTABLE', { message, details: { reason } })
}

/**
 * Throws 409 `DEPOSIT_NOT_CORRECTABLE` for a deposit to a wallet, because its money belongs to the holder.
 */
export async function checkNoWallet(op: Op, row: DepositRow): Promise<void> {
  const wallet = await findDepositWallet(op, row)
  if (wallet)
    throw createNotCorrectableError(
      'WALLET_ADDRESS',
      `This deposit was sent to a wallet's own address. It can only be assigned to ${wallet.id}.`,
    )
}

/** Creates a deposit in suspense for part of another deposit's money. Bank files do not report it. */
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

/** Inserts new parts, each with a DEPOSIT.SUSPENDED event. */
export function insertParts(op: Op, parts: readonly DepositRow[]): Write[] {
  return parts.flatMap((part) => [
    insert('deposits', part),
    event(op, 'DEPOSIT.SUSPENDED', part.id, depositView(part)),
  ])
}

export function buildCorrectionEvent(op: Op, row: DepositRow): Write {
  return event(op, 'DEPOSIT.CORRECTED', row.id, depositView(row))
}
