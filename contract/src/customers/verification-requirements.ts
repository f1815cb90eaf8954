import { getOwnValue } from '../core/objects.ts'
import type { DocumentTypeName } from './documents.ts'

/**
 * Requirements that a customer must meet before a decision, as tables. The responses of `POST
 * /verifications`, the guide and the hosted page are generated from them.
 */

/** For each document requirement: the accepted document types, and their maximum age. */
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
  /** Completes the sentence "A document that proves …". */
  readonly proves: string
  readonly accepted: readonly DocumentTypeName[]
  /** Maximum age of the document in months, or null if there is no limit. */
  readonly monthsMax: number | null
}

export type DocumentRequirementName = keyof typeof DOCUMENT_REQUIREMENTS

/** Documents that every business must provide. */
export const BUSINESS_DOCUMENTS = [
  'MISSING_LEGAL_PRESENCE_DOCUMENT',
  'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
  'MISSING_CONTROL_STRUCTURE_DOCUMENT',
  'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
] as const satisfies readonly DocumentRequirementName[]

/** Fields that every business must have, by their path in the record. */
export const BUSINESS_FIELDS = [
  'businessInfo.legalName',
  'businessInfo.taxId',
  'businessInfo.countriesOfOperation',
  'address',
] as const

/** Fields that every individual must have. */
export const INDIVIDUAL_FIELDS = ['fullName', 'birthDate', 'nationality', 'address'] as const

/** Owners with at least this percentage of a business must be named. */
export const MAJOR_OWNER_PERCENT = 25

/** Documents that a person, including an owner of a business, must provide, by country of residence. */
const PERSON_DOCUMENTS: Readonly<Record<string, PersonDocuments>> = {
  // These countries have registers that confirm identity and address without documents.
  US: { identity: false, address: false },
  CA: { identity: true, address: false },
  GB: { identity: true, address: false },
  // In these countries, the identity document is checked against a register that contains the address.
  BR: { identity: true, address: false },
  IN: { identity: true, address: false },
  MX: { identity: true, address: false },
}

/** Applies to all countries that are not in the table. */
const PERSON_DOCUMENTS_DEFAULT: PersonDocuments = { identity: true, address: true }

export interface PersonDocuments {
  readonly identity: boolean
  readonly address: boolean
}

/**
 * Returns the documents that a person in this country must provide. All of them if the country is unknown.
 */
export function getPersonDocuments(country: string | undefined): PersonDocuments {
  const exception = country === undefined ? undefined : getOwnValue(PERSON_DOCUMENTS, country)
  return exception ?? PERSON_DOCUMENTS_DEFAULT
}

/** Countries with their own document rules, for the guide. */
export const PERSON_DOCUMENTS_BY_COUNTRY = Object.entries(PERSON_DOCUMENTS)
