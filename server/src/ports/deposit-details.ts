import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'

/** Gives the accounts elsewhere that money is paid in to. */
export interface DepositDetails {
  /** The details of one account, the same for the same arguments. `reference` tells its deposits from all others. */
  details(type: AccountTypeName, seed: string, currency: string, reference: string): PaymentAccountInfoValue
}
