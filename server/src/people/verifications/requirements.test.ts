import {
  BUSINESS_DOCUMENTS,
  BUSINESS_FIELDS,
  DOCUMENT_REQUIREMENTS,
  INDIVIDUAL_FIELDS,
  PERSON_DOCUMENTS_BY_COUNTRY,
  personDocumentsOf,
} from '@countersign/contract/customers/verification-requirements'
import { describe, expect, test } from 'vitest'
import type { DocumentRow } from '../../storage/rows/document.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { BeneficialOwnerRow } from '../../storage/rows/verification.ts'
import { type Case, listMissingEntries, listUnresolved } from './requirements.ts'

const NOW = new Date('2030-05-31T12:00:00Z')
const ADDRESS = { line1: '1 Main Street', postalCode: '02101', country: 'US' }

const person = (more: object = {}, region: string | null = null) =>
  ({
    id: 'Customer:1',
    customer_type: 'INDIVIDUAL',
    region,
    details: { fullName: 'Ada', birthDate: '1990-01-01', nationality: 'US', address: ADDRESS, ...more },
    updated_at: new Date(0),
  }) as unknown as CustomerRow

const business = (more: object = {}) =>
  ({
    id: 'Customer:1',
    customer_type: 'BUSINESS',
    region: null,
    details: {
      address: ADDRESS,
      businessInfo: { legalName: 'Acme', taxId: '1', countriesOfOperation: ['US'], ...more },
    },
    updated_at: new Date(0),
  }) as unknown as CustomerRow

const owner = (more: object = {}) =>
  ({
    id: 'BeneficialOwner:1',
    roles: ['CONTROL_PERSON'],
    ownership_percentage: 100,
    personal_info: { address: ADDRESS },
    kyc_status: 'PENDING',
    updated_at: new Date(0),
    ...more,
  }) as unknown as BeneficialOwnerRow

const document = (document_type: string, more: object = {}) =>
  ({
    id: `Document:${document_type}`,
    holder_id: 'Customer:1',
    document_type,
    issued_on: null,
    created_at: NOW,
    updated_at: NOW,
    ...more,
  }) as unknown as DocumentRow

const caseOf = (
  customer: CustomerRow,
  documents: DocumentRow[] = [],
  owners: BeneficialOwnerRow[] = [],
): Case => ({ customer, owners, documents })
const typesOf = (one: Case) => listMissingEntries(one, [], NOW).map(({ type, field }) => field ?? type)
const BUSINESS_PAPERS = BUSINESS_DOCUMENTS.map((name) => document(DOCUMENT_REQUIREMENTS[name].accepted[0]))

describe('a person', () => {
  test('who has everything lacks nothing', () => {
    expect(typesOf(caseOf(person()))).toEqual([])
  })

  test.each(INDIVIDUAL_FIELDS)('without %s is told so', (field) => {
    expect(typesOf(caseOf(person({ [field]: undefined }, 'US')))).toEqual([field])
  })

  test.each([...PERSON_DOCUMENTS_BY_COUNTRY, ['DE', personDocumentsOf('DE')] as const])(
    'who lives in %s shows the documents of the table: %j',
    (country, { identity, address }) => {
      expect(typesOf(caseOf(person({ address: { ...ADDRESS, country } })))).toEqual([
        ...(identity ? ['MISSING_IDENTITY_DOCUMENT'] : []),
        ...(address ? ['MISSING_PROOF_OF_ADDRESS_DOCUMENT'] : []),
      ])
    },
  )

  test('has to verify what is not verified', () => {
    expect(listMissingEntries(caseOf(person()), ['email', 'phone'], NOW).map(({ field }) => field)).toEqual([
      'email',
      'phoneNumber',
    ])
  })
})

describe('a business', () => {
  test('that has everything lacks nothing', () => {
    expect(typesOf(caseOf(business(), BUSINESS_PAPERS, [owner()]))).toEqual([])
  })

  test.each(BUSINESS_FIELDS)('without %s is told so', (field) => {
    const name = field.replace('businessInfo.', '')
    const customer = business({ [name]: undefined })
    if (field === 'address') Object.assign(customer.details, { address: undefined })
    expect(typesOf(caseOf(customer, BUSINESS_PAPERS, [owner()]))).toEqual([field])
  })

  const satisfying = BUSINESS_DOCUMENTS.flatMap((name) =>
    DOCUMENT_REQUIREMENTS[name].accepted.map((type) => [name, type] as const),
  )
  test.each(satisfying)('satisfies %s by a document of type %s', (name, type) => {
    const others = BUSINESS_DOCUMENTS.filter((other) => other !== name)
    const missing = typesOf(caseOf(business(), [document(type)], [owner()]))
    expect(missing).not.toContain(name)
    expect(others.filter((other) => !missing.includes(other))).toEqual(
      others.filter((other) => (DOCUMENT_REQUIREMENTS[other].accepted as readonly string[]).includes(type)),
    )
  })

  test('does not satisfy anything by a document of somebody else', () => {
    const strange = BUSINESS_PAPERS.map((one) => ({ ...one, holder_id: 'BeneficialOwner:1' }))
    expect(typesOf(caseOf(business(), strange, [owner()]))).toEqual([...BUSINESS_DOCUMENTS])
  })

  test.each([
    [76, 0],
    [75, 1],
    [0, 1],
  ])('whose owners hold %i %% lacks %i', (ownership_percentage, count) => {
    const missing = typesOf(caseOf(business(), BUSINESS_PAPERS, [owner({ ownership_percentage })]))
    expect(missing).toEqual(Array(count).fill('MISSING_BENEFICIAL_OWNER'))
  })

  test('has somebody who controls it', () => {
    const missing = typesOf(caseOf(business(), BUSINESS_PAPERS, [owner({ roles: ['UBO'] })]))
    expect(missing).toEqual(['MISSING_BENEFICIAL_OWNER'])
  })
})

test.each([
  ['2030-02-28T11:00:00Z', null, 'EXPIRED_DOCUMENT'],
  ['2030-03-03T13:00:00Z', null, undefined],
  ['2030-05-31T12:00:00Z', '2029-12-31', 'EXPIRED_DOCUMENT'],
  ['2020-01-01T00:00:00Z', '2030-05-01', undefined],
])('a proof of address uploaded %s and issued %s: %s', (created, issued_on, expected) => {
  const proof = document('UTILITY_BILL', { created_at: new Date(created), issued_on })
  const papers = [...BUSINESS_PAPERS.filter(({ document_type }) => document_type !== 'UTILITY_BILL'), proof]
  expect(typesOf(caseOf(business(), papers, [owner()]))).toEqual(expected ? [expected] : [])
})

describe('what was asked for', () => {
  const askedAt = new Date('2030-05-01T00:00:00Z')
  const before = new Date('2030-04-30T00:00:00Z')
  const entry = { type: 'INVALID_FIELD', reason: 'x' } as const

  test.each([
    ['a customer that was changed', { ...entry, resourceId: 'Customer:1' }, { updated_at: NOW }, []],
    ['a customer that was not', { ...entry, resourceId: 'Customer:1' }, { updated_at: before }, ['x']],
  ])('of %s', (_, asked, change, left) => {
    const one = caseOf({ ...person(), ...change })
    expect(listUnresolved(one, [asked], askedAt).map(({ reason }) => reason)).toEqual(left)
  })

  test('is a document of an accepted type that came after it, or a document that was replaced or is gone', () => {
    const types = { ...entry, resourceId: 'Customer:1', acceptedDocumentTypes: ['PASSPORT' as const] }
    const of = { ...entry, resourceId: 'Document:PASSPORT' }
    const left = (documents: DocumentRow[]) =>
      listUnresolved(caseOf(person(), documents), [types, of], askedAt)
    expect(left([document('PASSPORT')])).toEqual([])
    expect(left([document('PASSPORT', { updated_at: before })])).toEqual([types, of])
    expect(left([document('SELFIE')])).toEqual([types])
  })
})
