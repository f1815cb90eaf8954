import type { BodyInput } from '../client/calls.ts'
import type { FieldName } from './texts/texts.ts'

export type BankAccount = BodyInput<'customer_external_account_create'>['accountInfo']
type ValueOf = (name: string) => string

/** Currencies in which the form can pay bank accounts. */
export type BankKind = 'USD' | 'EUR' | 'GBP'

interface Bank {
  readonly fields: readonly FieldName[]
  readonly accountInfo: (getField: ValueOf) => BankAccount
}

const toBeneficiary = (getValue: ValueOf) =>
  ({ beneficiaryType: 'INDIVIDUAL', fullName: getValue('fullName') }) as const

/** The fields that identify a bank account in each currency. */
export const BANKS: Readonly<Record<BankKind, Bank>> = {
  USD: {
    fields: ['accountNumber', 'routingNumber'],
    accountInfo: (getValue) => ({
      accountType: 'USD_ACCOUNT',
      accountNumber: getValue('accountNumber'),
      routingNumber: getValue('routingNumber'),
      beneficiary: toBeneficiary(getValue),
    }),
  },
  EUR: {
    fields: ['iban', 'countryOfResidence'],
    accountInfo: (getValue) => ({
      accountType: 'EUR_ACCOUNT',
      iban: getValue('iban').replaceAll(' ', '').toUpperCase(),
      beneficiary: {
        ...toBeneficiary(getValue),
        countryOfResidence: getValue('countryOfResidence').toUpperCase(),
      },
    }),
  },
  GBP: {
    fields: ['accountNumber', 'sortCode'],
    accountInfo: (getValue) => ({
      accountType: 'GBP_ACCOUNT',
      accountNumber: getValue('accountNumber'),
      sortCode: getValue('sortCode').replaceAll('-', ''),
      beneficiary: toBeneficiary(getValue),
    }),
  },
}
