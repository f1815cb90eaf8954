import { describe, expect, test } from 'vitest'
import type { Customer } from './customer.ts'
import { buildChange, createDraft, findFieldError } from './customer-draft.ts'

const shared = {
  id: 'Customer:0190a000-0000-7000-8000-00000000c001',
  platformCustomerId: 'ada',
  umaAddress: '$ada@example.com',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  isDeleted: false,
}
const PERSON: Customer = {
  ...shared,
  customerType: 'INDIVIDUAL',
  kycStatus: 'PENDING',
  fullName: 'Ada Lovelace',
  email: 'ada@example.com',
  address: { line1: '1 Main Street', line2: 'Flat 2', postalCode: '10001', country: 'US' },
}
const BUSINESS: Customer = {
  ...shared,
  customerType: 'BUSINESS',
  kybStatus: 'PENDING',
  businessInfo: { legalName: 'Engines Ltd' },
}

describe('the customer form', () => {
  test('an unchanged form changes nothing', () => {
    expect(buildChange(PERSON, createDraft(PERSON))).toEqual({ customerType: 'INDIVIDUAL' })
    expect(buildChange(BUSINESS, createDraft(BUSINESS))).toEqual({ customerType: 'BUSINESS' })
  })

  test('the request contains only the changed fields', () => {
    expect(buildChange(PERSON, { ...createDraft(PERSON), name: ' Ada King ' })).toEqual({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada King',
    })
    expect(buildChange(BUSINESS, { ...createDraft(BUSINESS), taxId: '12-34' })).toEqual({
      customerType: 'BUSINESS',
      businessInfo: { taxId: '12-34' },
    })
  })

  test('an address is replaced as a whole, so a line of it can be removed', () => {
    expect(
      buildChange(PERSON, { ...createDraft(PERSON), line2: '', city: 'New York', country: 'us' }),
    ).toEqual({
      customerType: 'INDIVIDUAL',
      address: { line1: '1 Main Street', city: 'New York', postalCode: '10001', country: 'US' },
    })
  })

  test('a field that the API cannot clear, and half an address, are errors', () => {
    const original = createDraft(PERSON)
    expect(findFieldError('name', original, { ...original, name: '' })).toBeDefined()
    expect(findFieldError('line2', original, { ...original, line2: '' })).toBeUndefined()
    const none = createDraft(BUSINESS)
    expect(findFieldError('postalCode', none, { ...none, city: 'Paris' })).toBe(
      'An address requires this field.',
    )
    expect(findFieldError('postalCode', none, none)).toBeUndefined()
  })
})
