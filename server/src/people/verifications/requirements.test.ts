import {
  BUSINESS_DOCUMENTS,
  BUSINESS_FIELDS,
  DOCUMENT_REQUIREMENTS,
  getPersonDocuments,
  INDIVIDUAL_FIELDS,
  PERSON_DOCUMENTS_BY_COUNTRY,
} from '@countersign/contract/customers/verification-requirements'
import { describe, expect, test } from 'vitest'
import type { DocumentRow } from '../../storage/rows/document.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { BeneficialOwnerRow } from '../../storage/rows/verification.ts'
import { type Case, listMissingEntries, listUnresolved } from './requirements.ts'

const NOW = new Date('2030-05-31T12:00:00Z')
const ADDRESS = { line1: '1 Main Street', postalCode: '02101', country: 'US' }

const makePerson = (overrides: object = {}, region: string | null = null) =>
  ({
    id: 'Customer:1',
    customer_type: 'INDIVIDUAL',
    region,
    details: { fullName: 'Ada', birthDate: '1990-01-01', nationality: 'US', address: ADDRESS, ...overrides },
    updated_at: new Date(0),
  }) as unknown as CustomerRow

const makeBusiness = (overrides: object = {}) =>
  ({
    id: 'Customer:1',
    customer_type: 'BUSINESS',
    region: null,
    details: {
      address: ADDRESS,
      businessInfo: { legalName: 'Acme', taxId: '1', countriesOfOperation: ['US'], ...overrides },
    },
    updated_at: new Date(0),
  }) as unknown as CustomerRow

const makeOwner = (overrides: object = {}) =>
  ({
    id: 'BeneficialOwner:1',
    roles: ['CONTROL_PERSON'],
    ownership_percentage: 100,
    personal_info: { address: ADDRESS },
    kyc_status: 'PENDING',
    updated_at: new Date(0),
    ...overrides,
  }) as unknown as BeneficialOwnerRow

const makeDocument = (document_type: string, overrides: object = {}) =>
  ({
    id: `Document:${document_type}`,
    holder_id: 'Customer:1',
    document_type,
    issued_on: null,
    created_at: NOW,
    updated_at: NOW,
    ...overrides,
  }) as unknown as DocumentRow

const buildCase = (
  customer: CustomerRow,
  documents: DocumentRow[] = [],
  owners: BeneficialOwnerRow[] = [],
): Case => ({ customer, owners, documents })
const listTypes = (one: Case) => listMissingEntries(one, [], NOW).map(({ type, field }) => field ?? type)
const BUSINESS_PAPERS = BUSINESS_DOCUMENTS.map((name) =>
  makeDocument(DOCUMENT_REQUIREMENTS[name].accepted[0]),
)

describe('the requirements of an individual', () => {
  test('an individual with all fields and documents lacks nothing', () => {
    expect(listTypes(buildCase(makePerson()))).toEqual([])
  })

  test.each(INDIVIDUAL_FIELDS)('an individual without %s lacks that field', (field) => {
    expect(listTypes(buildCase(makePerson({ [field]: undefined }, 'US')))).toEqual([field])
  })

  test.each([...PERSON_DOCUMENTS_BY_COUNTRY, ['DE', getPersonDocuments('DE')] as const])(
    'an individual who lives in %s needs the documents of that country: %j',
    (country, { identity, address }) => {
      expect(listTypes(buildCase(makePerson({ address: { ...ADDRESS, country } })))).toEqual([
        ...(identity ? ['MISSING_IDENTITY_DOCUMENT'] : []),
        ...(address ? ['MISSING_PROOF_OF_ADDRESS_DOCUMENT'] : []),
      ])
    },
  )

  test('an individual must verify every unverified contact', () => {
    expect(
      listMissingEntries(buildCase(makePerson()), ['email', 'phone'], NOW).map(({ field }) => field),
    ).toEqual(['email', 'phoneNumber'])
  })
})

describe('the requirements of a business', () => {
  test('a business with all fields, documents and owners lacks nothing', () => {
    expect(listTypes(buildCase(makeBusiness(), BUSINESS_PAPERS, [makeOwner()]))).toEqual([])
  })

  test.each(BUSINESS_FIELDS)('a business without %s lacks that field', (field) => {
    const name = field.replace('businessInfo.', '')
    const customer = makeBusiness({ [name]: undefined })
    if (field === 'address') Object.assign(customer.details, { address: undefined })
    expect(listTypes(buildCase(customer, BUSINESS_PAPERS, [makeOwner()]))).toEqual([field])
  })

  const satisfying = BUSINESS_DOCUMENTS.flatMap((name) =>
    DOCUMENT_REQUIREMENTS[name].accepted.map((type) => [name, type] as const),
  )
  test.each(satisfying)('a business satisfies %s with a document of type %s', (name, type) => {
    const others = BUSINESS_DOCUMENTS.filter((other) => other !== name)
    const missing = listTypes(buildCase(makeBusiness(), [makeDocument(type)], [makeOwner()]))
    expect(missing).not.toContain(name)
    expect(others.filter((other) => !missing.includes(other))).toEqual(
      others.filter((other) => (DOCUMENT_REQUIREMENTS[other].accepted as readonly string[]).includes(type)),
    )
  })

  test('documents of another holder satisfy no requirement of a business', () => {
    const otherDocuments = BUSINESS_PAPERS.map((paper) => ({ ...paper, holder_id: 'BeneficialOwner:1' }))
    expect(listTypes(buildCase(makeBusiness(), otherDocuments, [makeOwner()]))).toEqual([
      ...BUSINESS_DOCUMENTS,
    ])
  })

  test.each([
    [76, 0],
    [75, 1],
    [0, 1],
  ])('a business whose owners hold %i percent lacks %i owners', (ownership_percentage, count) => {
    const missing = listTypes(
      buildCase(makeBusiness(), BUSINESS_PAPERS, [makeOwner({ ownership_percentage })]),
    )
    expect(missing).toEqual(Array(count).fill('MISSING_BENEFICIAL_OWNER'))
  })

  test('a business needs an owner with the role CONTROL_PERSON', () => {
    const missing = listTypes(buildCase(makeBusiness(), BUSINESS_PAPERS, [makeOwner({ roles: ['UBO'] })]))
    expect(missing).toEqual(['MISSING_BENEFICIAL_OWNER'])
  })
})

test.each([
  ['2030-02-28T11:00:00Z', null, 'EXPIRED_DOCUMENT'],
  ['2030-03-03T13:00:00Z', null, undefined],
  ['2030-05-31T12:00:00Z', '2029-12-31', 'EXPIRED_DOCUMENT'],
  ['2020-01-01T00:00:00Z', '2030-05-01', undefined],
])('a proof of address uploaded at %s and issued on %s reports %s', (created, issued_on, expected) => {
  const proof = makeDocument('UTILITY_BILL', { created_at: new Date(created), issued_on })
  const papers = [...BUSINESS_PAPERS.filter(({ document_type }) => document_type !== 'UTILITY_BILL'), proof]
  expect(listTypes(buildCase(makeBusiness(), papers, [makeOwner()]))).toEqual(expected ? [expected] : [])
})

describe('the requests of a reviewer', () => {
  const requestedAt = new Date('2030-05-01T00:00:00Z')
  const before = new Date('2030-04-30T00:00:00Z')
  const entry = { type: 'INVALID_FIELD', reason: 'x' } as const

  test.each([
    ['is resolved by a later change', { ...entry, resourceId: 'Customer:1' }, { updated_at: NOW }, []],
    ['stays unresolved without one', { ...entry, resourceId: 'Customer:1' }, { updated_at: before }, ['x']],
  ])('a request for a field %s', (_, request, change, unresolved) => {
    const caseData = buildCase({ ...makePerson(), ...change })
    expect(listUnresolved(caseData, [request], requestedAt).map(({ reason }) => reason)).toEqual(unresolved)
  })

  test('a later document of an accepted type, or replacing or deleting the document, resolves a request', () => {
    const byTypes = { ...entry, resourceId: 'Customer:1', acceptedDocumentTypes: ['PASSPORT' as const] }
    const byDocument = { ...entry, resourceId: 'Document:PASSPORT' }
    const listUnresolvedWith = (documents: DocumentRow[]) =>
      listUnresolved(buildCase(makePerson(), documents), [byTypes, byDocument], requestedAt)
    expect(listUnresolvedWith([makeDocument('PASSPORT')])).toEqual([])
    expect(listUnresolvedWith([makeDocument('PASSPORT', { updated_at: before })])).toEqual([
      byTypes,
      byDocument,
    ])
    expect(listUnresolvedWith([makeDocument('SELFIE')])).toEqual([byTypes])
  })
})
