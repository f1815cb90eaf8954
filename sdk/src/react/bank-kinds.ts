import type { BodyInput } from '../client/calls.ts'
import type { FieldName } from './texts/texts.ts'

export type BankAccount = BodyInput<'customer_external_account_create'>['accountInfo']
type ValueOf = (name: string) => string

/** A currency whose bank accounts the form can pay. */
export type BankKind = 'USD' | 'EUR' | 'GBP'

interface Bank {
  readonly fields: readonly FieldName[]
  readonly accountInfo: (of: ValueOf) => BankAccount
}

const person = (of: ValueOf) => ({ beneficiaryType: 'INDIVIDUAL', fullName: of('fullName') }) as const

/** The details that an account in each currency needs to be paid. */
export const BANKS: Readonly<Record<BankKind, Bank>> = {
  USD: {
    fields: ['accountNumber', 'routingNumber'],
    accountInfo: (of) => ({
      accountType: 'USD_ACCOUNT',
      accountNumber: of('accountNumber'),
      routingNumber: of('routingNumber'),
      beneficiary: person(of),
    }),
  },
  EUR: {
    fields: ['iban', 'countryOfResidence'],
    accountInfo: (of) => ({
      accountType: 'EUR_ACCOUNT',
      iban: of('iban').replaceAll(' ', '').toUpperCase(),
      beneficiary: { ...person(of), countryOfResidence: of('countryOfResidence').toUpperCase() },
    }),
  },
  GBP: {
    fields: ['accountNumber', 'sortCode'],
    accountInfo: (of) => ({
      accountType: 'GBP_ACCOUNT',
      accountNumber: of('accountNumber'),
      sortCode: of('sortCode').replaceAll('-', ''),
      beneficiary: person(of),
    }),
  },
}
