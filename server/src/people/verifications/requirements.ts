import {
  BUSINESS_DOCUMENTS,
  BUSINESS_FIELDS,
  DOCUMENT_REQUIREMENTS,
  type DocumentRequirementName,
  getPersonDocuments,
  INDIVIDUAL_FIELDS,
  MAJOR_OWNER_PERCENT,
} from '@countersign/contract/customers/verification-requirements'
import { getValueAt } from '../../base/json/paths.ts'
import type { DocumentRow } from '../../storage/rows/document.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { BeneficialOwnerRow, VerificationErrorEntry } from '../../storage/rows/verification.ts'

/** The customer data to verify. */
export interface Case {
  readonly customer: CustomerRow
  /** Empty for an individual. */
  readonly owners: readonly BeneficialOwnerRow[]
  readonly documents: readonly DocumentRow[]
}

/** Lists the entries that the requirement tables demand and the customer lacks. Pure. */
export function listMissingEntries(
  caseData: Case,
  contacts: readonly ('email' | 'phone')[],
  now: Date,
): VerificationErrorEntry[] {
  const { customer } = caseData
  return [
    ...contacts.map((contact) => toUnverifiedEntry(customer, contact)),
    ...(customer.customer_type === 'BUSINESS'
      ? listMissingForBusiness(caseData, now)
      : listMissingForPerson(caseData, now)),
  ]
}

function listMissingForPerson(caseData: Case, now: Date): VerificationErrorEntry[] {
  const { id, details, region } = caseData.customer
  return [
    ...listMissingFields(caseData.customer, INDIVIDUAL_FIELDS),
    ...listMissingPersonDocuments(caseData, id, region ?? details.address?.country, now),
  ]
}

function listMissingForBusiness(caseData: Case, now: Date): VerificationErrorEntry[] {
  const { customer, owners } = caseData
  return [
    ...listMissingFields(customer, BUSINESS_FIELDS),
    ...listMissingOwners(customer, owners),
    ...BUSINESS_DOCUMENTS.flatMap((name) => listMissingDocument(caseData, customer.id, name, now)),
    ...owners.flatMap((owner) => listMissingForOwner(caseData, owner, now)),
  ]
}

/** Lists an owner's missing entries: a rejected check, or the documents for the country of residence. */
function listMissingForOwner(caseData: Case, owner: BeneficialOwnerRow, now: Date): VerificationErrorEntry[] {
  if (owner.kyc_status === 'REJECTED')
    return [
      {
        resourceId: owner.id,
        type: 'APPLICANT_REJECTED',
        reason:
          "The check of this beneficial owner failed. Correct the owner's name; otherwise the business cannot be approved.",
      },
    ]
  const { identity } = getPersonDocuments(owner.personal_info.address.country)
  return identity ? listMissingDocument(caseData, owner.id, 'MISSING_IDENTITY_DOCUMENT', now) : []
}

function listMissingOwners(
  { id, details }: CustomerRow,
  owners: readonly BeneficialOwnerRow[],
): VerificationErrorEntry[] {
  const errors: VerificationErrorEntry[] = []
  const addMissing = (reason: string) =>
    errors.push({ resourceId: id, type: 'MISSING_BENEFICIAL_OWNER', reason })
  if (!owners.some(({ roles }) => roles.includes('CONTROL_PERSON')))
    addMissing('A business needs a beneficial owner with the role CONTROL_PERSON.')
  const namedShare = owners.reduce((sum, owner) => sum + owner.ownership_percentage, 0)
  const unnamedShare = 100 - namedShare
  if (unnamedShare >= MAJOR_OWNER_PERCENT && !details.businessInfo?.isWidelyHeld)
    addMissing(
      `The listed beneficial owners hold ${namedShare} %. Add everyone who holds ${MAJOR_OWNER_PERCENT} % or more, ` +
        'or set businessInfo.isWidelyHeld if nobody else does.',
    )
  return errors
}

function listMissingFields(customer: CustomerRow, fields: readonly string[]): VerificationErrorEntry[] {
  return fields
    .filter((field) => isEmpty(getValueAt(customer.details, field)))
    .map((field) => ({
      resourceId: customer.id,
      type: 'MISSING_FIELD',
      field,
      reason: `${field} is required.`,
    }))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

const CONTACTS = {
  email: { field: 'email', name: 'e-mail address' },
  phone: { field: 'phoneNumber', name: 'telephone number' },
} as const

function toUnverifiedEntry({ id }: CustomerRow, contact: keyof typeof CONTACTS): VerificationErrorEntry {
  const { field, name } = CONTACTS[contact]
  const reason = `The ${name} is not verified. Call POST /customers/{customerId}/verify-${contact} first.`
  return { resourceId: id, type: 'INVALID_FIELD', field, reason }
}

function listMissingPersonDocuments(
  caseData: Case,
  holderId: string,
  country: string | undefined,
  now: Date,
): VerificationErrorEntry[] {
  const { identity, address } = getPersonDocuments(country)
  return [
    ...(identity ? listMissingDocument(caseData, holderId, 'MISSING_IDENTITY_DOCUMENT', now) : []),
    ...(address ? listMissingDocument(caseData, holderId, 'MISSING_PROOF_OF_ADDRESS_DOCUMENT', now) : []),
  ]
}

/**
 * Lists the entry for a requirement that no document of the holder satisfies. The entry names a document that
 * is too old, if there is one.
 */
function listMissingDocument(
  { documents }: Case,
  holderId: string,
  name: DocumentRequirementName,
  now: Date,
): VerificationErrorEntry[] {
  const { proves, accepted, monthsMax } = DOCUMENT_REQUIREMENTS[name]
  const types: readonly string[] = accepted
  const candidates = documents.filter(
    ({ holder_id, document_type }) => holder_id === holderId && types.includes(document_type),
  )
  if (candidates.some((document) => !isTooOld(document, monthsMax, now))) return []
  const acceptedDocumentTypes = [...accepted]
  const [oldDocument] = candidates
  if (oldDocument)
    return [
      {
        resourceId: oldDocument.id,
        type: 'EXPIRED_DOCUMENT',
        reason: `The document is more than ${monthsMax} months old.`,
        acceptedDocumentTypes,
      },
    ]
  const age = monthsMax === null ? '' : `, at most ${monthsMax} months old,`
  return [
    {
      resourceId: holderId,
      type: name,
      reason: `A document${age} that proves ${proves} is required.`,
      acceptedDocumentTypes,
    },
  ]
}

function isTooOld({ issued_on, created_at }: DocumentRow, monthsMax: number | null, now: Date): boolean {
  if (monthsMax === null) return false
  const limit = new Date(now)
  limit.setUTCMonth(limit.getUTCMonth() - monthsMax)
  return (issued_on === null ? created_at : new Date(issued_on)) < limit
}

/**
 * Lists the unresolved entries of those requested at `requestedAt`: neither a document of an accepted type
 * nor the record itself has changed since then. Pure.
 */
export function listUnresolved(
  caseData: Case,
  requested: readonly VerificationErrorEntry[],
  requestedAt: Date | null,
): VerificationErrorEntry[] {
  if (requestedAt === null) return []
  return requested.filter((entry) => !isProvided(caseData, entry, requestedAt))
}

function isProvided(
  { customer, owners, documents }: Case,
  { resourceId, acceptedDocumentTypes, field }: VerificationErrorEntry,
  requestedAt: Date,
): boolean {
  const types: readonly string[] = acceptedDocumentTypes ?? []
  const hasChanged = (record: { updated_at: Date } | undefined) =>
    record !== undefined && record.updated_at > requestedAt
  const document = documents.find(({ id }) => id === resourceId)
  if (types.length > 0 && field === undefined) {
    const holder = document?.holder_id ?? resourceId
    return documents.some(
      (other) => other.holder_id === holder && types.includes(other.document_type) && hasChanged(other),
    )
  }
  if (resourceId === customer.id) return hasChanged(customer)
  const owner = owners.find(({ id }) => id === resourceId)
  if (owner) return hasChanged(owner)
  // The document was withdrawn, which also counts.
  return document === undefined || hasChanged(document)
}
