import type { ItemOf } from '@countersign/sdk'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'

type OwnAccount = ItemOf<'own_account_list'>
type Movement = ItemOf<'treasury_movement_list'>
type Key = ItemOf<'treasury_key_list'>
type Withdrawal = ItemOf<'platform_withdrawal_list'>

const WAITS = '  Members must approve it first.'

/** Formats one of the operator's own accounts for the terminal. */
export function formatAccount({
  id,
  status,
  account,
  address,
  purpose,
  currency,
  reason,
  sweep,
  nextSweepAt,
}: OwnAccount): string[] {
  const minimum = sweep && formatAmount(sweep.minimum, findCurrency(currency))
  return [
    `${id}  ${status}  ${purpose === 'COLD_STORAGE' ? `cold storage ${address ?? account}` : account}`,
    `  ${reason}`,
    ...(sweep ? [`  sweeps ${sweep.source} above ${minimum} daily at ${sweep.time} ${sweep.timeZone}`] : []),
    ...(nextSweepAt === undefined ? [] : [`  next: ${nextSweepAt}`]),
    ...(status === 'AWAITING_APPROVAL' ? [WAITS] : []),
  ]
}

/** Formats a withdrawal for the terminal. */
export function formatWithdrawal(withdrawal: Withdrawal): string[] {
  const { id, status, amount, source, reason, ownAccountId, transactionId, transactionStatus, error } =
    withdrawal
  return [
    `${id}  ${status}  ${formatAmount(amount.amount, findCurrency(amount.currency.code))} from ${source} to ${ownAccountId}`,
    `  ${reason}`,
    ...(transactionId === undefined ? [] : [`  ${transactionId} ${transactionStatus ?? ''}`.trimEnd()]),
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
    ...(status === 'AWAITING_APPROVAL' ? [WAITS] : []),
  ]
}

/** Formats a treasury movement for the terminal. */
export function formatMovement(movement: Movement): string[] {
  const { id, status, direction, amount, rail, address, reason, transactionHash, error } = movement
  const way = direction === 'FROM_COLD_STORAGE' ? `from ${address} to ${rail}` : `from ${rail} to ${address}`
  return [
    `${id}  ${status}  ${formatAmount(amount.amount, findCurrency(amount.currency.code))} ${way}`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
    ...(transactionHash === undefined ? [] : [`  ${transactionHash}`]),
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
    ...(status === 'AWAITING_APPROVAL' ? [WAITS] : []),
  ]
}

/** Formats a treasury key for the terminal. */
export function formatKey({ id, status, rail, address, reason }: Key): string[] {
  return [
    `${id}  ${status}  ${rail} ${address}`,
    `  ${reason}`,
    ...(status === 'AWAITING_APPROVAL' ? [WAITS] : []),
  ]
}
