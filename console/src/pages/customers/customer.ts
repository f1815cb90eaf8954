import type { Customer as CustomerSchema } from '@countersign/contract/customers/customers'
import type { Static } from 'typebox'
import { wordsOf } from '../../ui/status-meaning.ts'

export type Customer = Static<typeof CustomerSchema>

/** The name of a customer, or a placeholder. */
export function nameOf(customer: Customer): string {
  const name = customer.customerType === 'INDIVIDUAL' ? customer.fullName : customer.businessInfo?.legalName
  return name ?? customer.email ?? customer.platformCustomerId
}

/** The state of the customer's verification. */
export function checkOf(customer: Customer): string {
  return customer.customerType === 'INDIVIDUAL' ? customer.kycStatus : customer.kybStatus
}

type Fact = readonly [name: string, value: string | undefined]

/** A person's own data. */
export function personOf(customer: Extract<Customer, { customerType: 'INDIVIDUAL' }>): Fact[] {
  return [
    ['Name', customer.fullName],
    ['Born', customer.birthDate],
    ['Nationality', customer.nationality],
  ]
}

/** A business's own data. */
export function businessOf({ businessInfo: info }: Extract<Customer, { customerType: 'BUSINESS' }>): Fact[] {
  return [
    ['Legal name', info?.legalName],
    ['Trades as', info?.doingBusinessAs],
    ['Incorporated', info?.incorporatedOn],
    ['Tax id', info?.taxId],
    ['Registration', info?.registrationNumber],
    ['Form', info?.entityType && wordsOf(info.entityType)],
    ['Business', info?.businessType && wordsOf(info.businessType)],
  ]
}

/** The address in one line. */
export function addressOf({ address }: Customer): string | undefined {
  if (!address) return undefined
  const { line1, line2, city, state, postalCode, country } = address
  return [line1, line2, [postalCode, city].filter(Boolean).join(' '), state, country]
    .filter(Boolean)
    .join(', ')
}
