import type { WithdrawalSource } from '@countersign/contract/operation/own-money'
import type { OwnAccountState, PlatformWithdrawalState } from '@countersign/contract/states/own-money-states'
import type { Stamped } from './stamped.ts'

/** A daily sweep. `minimum` is in the smallest unit; `time` is `HH:MM` on the clock of `timeZone`. */
export interface StoredSweep {
  readonly source: WithdrawalSource
  readonly minimum: string
  readonly time: string
  readonly timeZone: string
}

/** An external account of the platform that the operator holds itself. */
export interface OwnAccountRow extends Stamped {
  id: string
  platform_id: string
  external_account_id: string
  currency: string
  state: OwnAccountState
  reason: string
  sweep: StoredSweep | null
  /** Null unless it is active and has a sweep. */
  next_sweep_at: Date | null
  /** Counts the changes. Every change is guarded by it. */
  version: number
}

/** Money of the operator, paid to one of its registered accounts. */
export interface PlatformWithdrawalRow extends Stamped {
  id: string
  platform_id: string
  own_account_id: string
  source: WithdrawalSource
  amount: bigint
  currency: string
  state: PlatformWithdrawalState
  reason: string
  remittance_information: string | null
  is_sweep: boolean
  /** Of one that is FAILED. */
  code: string | null
  message: string | null
  transaction_id: string | null
}

export interface OwnMoneyTables {
  own_accounts: OwnAccountRow
  platform_withdrawals: PlatformWithdrawalRow
}
