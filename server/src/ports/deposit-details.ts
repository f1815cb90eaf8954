import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'

/** Provides the external accounts for incoming payments. */
export interface DepositDetails {
  /** The details of one account, the same for the same arguments. `reference` identifies its deposits. */
  details(type: AccountTypeName, seed: string, currency: string, reference: string): PaymentAccountInfoValue
}
