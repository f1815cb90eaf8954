import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'

/** Money that is paid in to an account, in the smallest unit of its currency. */
export interface Deposit {
  readonly seed: string
  readonly currency: string
  /** Identifies the deposits of the account. */
  readonly reference: string
  /** The amount of the one payment that the details are for. Absent for an account that takes any. */
  readonly amount?: bigint
}

/** Provides the external accounts for incoming payments. */
export interface DepositDetails {
  /** The details of one account, the same for the same arguments. */
  details(type: AccountTypeName, deposit: Deposit): PaymentAccountInfoValue
}
