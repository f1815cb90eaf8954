import type { Customer as CustomerSchema } from '@countersign/contract/customers/customers'
import type { Static } from 'typebox'
import { formatConstant } from '../../ui/status-meaning.ts'

export type Customer = Static<typeof CustomerSchema>

/** Returns a customer's name, or a placeholder. */
export function formatCustomerName(customer: Customer): string {
  const name = customer.customerType === 'INDIVIDUAL' ? customer.fullName : customer.businessInfo?.legalName
  return name ?? customer.email ?? customer.platformCustomerId
}

/** Returns the state of a customer's verification. */
export function getVerificationState(customer: Customer): string {
  return customer.customerType === 'INDIVIDUAL' ? customer.kycStatus : customer.kybStatus
}

type Fact = readonly [name: string, value: string | undefined]

/** Lists a person's data. */
export function listPersonFacts(customer: Extract<Customer, { customerType: 'INDIVIDUAL' }>): Fact[] {
  return [
    ['Name', customer.fullName],
    ['Date of birth', customer.birthDate],
    ['Nationality', customer.nationality],
  ]
}

/** Lists a business's data. */
export function listBusinessFacts({
  businessInfo: info,
}: Extract<Customer, { customerType: 'BUSINESS' }>): Fact[] {
  return [
    ['Legal name', info?.legalName],
    ['Trades as', info?.doingBusinessAs],
    ['Incorporated', info?.incorporatedOn],
    ['Tax id', info?.taxId],
    ['Registration', info?.registrationNumber],
    ['Legal form', info?.entityType && formatConstant(info.entityType)],
    ['Business', info?.businessType && formatConstant(info.businessType)],
  ]
}

/** Formats the address in one line. */
export function formatAddress({ address }: Customer): string | undefined {
  if (!address) return undefined
  const { line1, line2, city, state, postalCode, country } = address
  return [line1, line2, [postalCode, city].filter(Boolean).join(' '), state, country]
    .filter(Boolean)
    .join(', ')
}
