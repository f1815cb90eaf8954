import { memberOf } from '../core/objects.ts'
import type { DocumentTypeName } from './documents.ts'

/**
 * Requirements that a customer must meet before a decision, as tables. They produce the responses of `POST
 * /verifications`, the guide and the hosted page.
 */

/** The requirements that a document satisfies: the accepted types, and how old it may be. */
export const DOCUMENT_REQUIREMENTS = {
  MISSING_LEGAL_PRESENCE_DOCUMENT: {
    proves: 'that the business exists',
    accepted: [
      'CERTIFICATE_OF_INCORPORATION',
      'ARTICLES_OF_INCORPORATION',
      'ARTICLES_OF_ASSOCIATION',
      'STATE_REGISTRY_EXCERPT',
    ],
    monthsMax: null,
  },
  MISSING_CONTROL_STRUCTURE_DOCUMENT: {
    proves: 'who controls the business',
    accepted: [
      'DIRECTOR_REGISTRY',
      'TRUST_AGREEMENT',
      'STATE_COMPANY_REGISTRY',
      'PARTNERSHIP_CONTROL_AGREEMENT',
    ],
    monthsMax: null,
  },
  MISSING_OWNERSHIP_STRUCTURE_DOCUMENT: {
    proves: 'who owns the business',
    accepted: ['SHAREHOLDER_REGISTER', 'TRUST_AGREEMENT', 'PARTNERSHIP_AGREEMENT'],
    monthsMax: null,
  },
  MISSING_PROOF_OF_ADDRESS_DOCUMENT: {
    proves: 'the address',
    accepted: ['UTILITY_BILL', 'RENT_OR_LEASE_AGREEMENT', 'ELECTRICITY_BILL', 'BANK_STATEMENT', 'TAX_RETURN'],
    monthsMax: 3,
  },
  MISSING_IDENTITY_DOCUMENT: {
    proves: 'the identity of the person',
    accepted: ['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'],
    monthsMax: null,
  },
} as const satisfies Readonly<Record<string, DocumentRequirement>>

interface DocumentRequirement {
  /** Ends the sentence "A document that proves …". */
  readonly proves: string
  readonly accepted: readonly DocumentTypeName[]
  /** The maximum age of the document in months; null: no limit. */
  readonly monthsMax: number | null
}

export type DocumentRequirementName = keyof typeof DOCUMENT_REQUIREMENTS

/** The documents of every business. */
export const BUSINESS_DOCUMENTS = [
  'MISSING_LEGAL_PRESENCE_DOCUMENT',
  'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
  'MISSING_CONTROL_STRUCTURE_DOCUMENT',
  'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
] as const satisfies readonly DocumentRequirementName[]

/** The fields that every business must have, by their path in the record. */
export const BUSINESS_FIELDS = [
  'businessInfo.legalName',
  'businessInfo.taxId',
  'businessInfo.countriesOfOperation',
  'address',
] as const

/** The fields that every individual must have. */
export const INDIVIDUAL_FIELDS = ['fullName', 'birthDate', 'nationality', 'address'] as const

/** The share, in percent, from which an owner of a business must be named. */
export const MAJOR_OWNER_PERCENT = 25

/** The documents that a person must have, an owner of a business too: by country of residence. */
const PERSON_DOCUMENTS: Readonly<Record<string, PersonDocuments>> = {
  // Registers of these countries confirm identity and address without documents.
  US: { identity: false, address: false },
  CA: { identity: true, address: false },
  GB: { identity: true, address: false },
  // The identity document of these countries is checked against a register that has the address.
  BR: { identity: true, address: false },
  IN: { identity: true, address: false },
  MX: { identity: true, address: false },
}

/** Every country that is not in the table. */
const PERSON_DOCUMENTS_DEFAULT: PersonDocuments = { identity: true, address: true }

export interface PersonDocuments {
  readonly identity: boolean
  readonly address: boolean
}

/** The documents that a person of this country must have; without a country, all of them. */
export function personDocumentsOf(country: string | undefined): PersonDocuments {
  const own = country === undefined ? undefined : memberOf(PERSON_DOCUMENTS, country)
  return own ?? PERSON_DOCUMENTS_DEFAULT
}

/** The countries with separate rules for documents, for the guide. */
export const PERSON_DOCUMENTS_BY_COUNTRY = Object.entries(PERSON_DOCUMENTS)
