import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { OWN_ACCOUNT_PURPOSES, WithdrawalSource } from '@countersign/contract/operation/own-money'
import type { TreasuryDirection } from '@countersign/contract/operation/treasury'
import type {
  OwnAccountState,
  PlatformWithdrawalState,
  TreasuryKeyState,
  TreasuryMovementState,
} from '@countersign/contract/states/own-money-states'
import type { Hex } from '../../base/formats/hex.ts'
import type { Stamped } from './stamped.ts'

/** A daily sweep. `minimum` is in the smallest unit, `time` is `HH:MM` in `timeZone`. */
export interface StoredSweep {
  readonly source: WithdrawalSource
  readonly minimum: string
  readonly time: string
  readonly timeZone: string
}

/** An external account that belongs to the operator. */
export interface OwnAccountRow extends Stamped {
  id: string
  platform_id: string
  external_account_id: string
  currency: string
  purpose: (typeof OWN_ACCOUNT_PURPOSES)[number]
  state: OwnAccountState
  reason: string
  sweep: StoredSweep | null
  /** Null unless the account is active and has a sweep. */
  next_sweep_at: Date | null
  /** The number of changes. Every change is guarded by it. */
  version: number
}

/** A payment of the operator's own money to one of its registered accounts. */
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
  /** Set if the withdrawal is FAILED. */
  code: string | null
  message: string | null
  transaction_id: string | null
}

/** A transfer between the treasury of a chain and cold storage, or to a new address of the treasury. */
export interface TreasuryMovementRow extends Stamped {
  id: string
  platform_id: string
  /** Null for a rotation. */
  own_account_id: string | null
  direction: TreasuryDirection
  /** `sandbox` if there is no chain. */
  rail: string
  network: EvmNetwork
  /** In lower case. */
  address: Hex
  amount: bigint
  currency: string
  state: TreasuryMovementState
  /** Set if the movement was requested. */
  reason: string | null
  transaction_hash: string | null
  /** Set if the movement is FAILED. */
  code: string | null
  message: string | null
}

/** A treasury key created by a rotation. */
export interface TreasuryKeyRow extends Stamped {
  id: string
  platform_id: string
  /** `sandbox` if there is no chain. */
  rail: string
  /** Starts at 1. The first key of a treasury has no record. */
  number: number
  /** In lower case. */
  address: Hex
  state: TreasuryKeyState
  reason: string
}

export interface OwnMoneyTables {
  own_accounts: OwnAccountRow
  platform_withdrawals: PlatformWithdrawalRow
  treasury_movements: TreasuryMovementRow
  treasury_keys: TreasuryKeyRow
}
