import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'

/** Money to be paid into an account, in the smallest unit of its currency. */
export interface Deposit {
  readonly seed: string
  readonly currency: string
  /** Identifies deposits to the account. */
  readonly reference: string
  /** The amount, if the details are for one specific payment. */
  readonly amount?: bigint
}

/** Provides the account details for incoming payments. */
export interface DepositDetails {
  /** The details of one account. Returns the same details for the same arguments. */
  details(type: AccountTypeName, deposit: Deposit): PaymentAccountInfoValue
}
