import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'

/** Money paid in to an account, in the smallest unit of its currency. */
export interface Deposit {
  readonly seed: string
  readonly currency: string
  /** Identifies the deposits of the account. */
  readonly reference: string
  /**
   * The amount of the single payment that the details are for. Absent for accounts that accept any payment.
   */
  readonly amount?: bigint
}

/** Provides the account details for incoming payments. */
export interface DepositDetails {
  /** The details of one account. The same arguments return the same details. */
  details(type: AccountTypeName, deposit: Deposit): PaymentAccountInfoValue
}
