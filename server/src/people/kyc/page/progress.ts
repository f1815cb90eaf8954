import type { VerificationErrorEntry } from '../../../storage/rows/verification.ts'
import type { findProgress } from '../../verifications/proceed.ts'
import { formatDocumentName, formatRequirementTitle, getMonthsMax, lowerFirstLetter } from './words.ts'

/** The customer's known data and missing entries. */
export type Progress = Awaited<ReturnType<typeof findProgress>>

/** The stage of a case: open for input, waiting for a decision, or decided. */
export type Stage = 'open' | 'submitted' | 'approved' | 'rejected'

export function getStage({ customerCase, newest }: Progress): Stage {
  const { verification_status: status } = customerCase.customer
  if (status === 'APPROVED') return 'approved'
  if (status === 'REJECTED') return 'rejected'
  return newest?.status === 'IN_PROGRESS' || newest?.status === 'PENDING_MANUAL_REVIEW' ? 'submitted' : 'open'
}

/** The steps of the page, in order. */
export const STEPS = ['details', 'owners', 'documents', 'review'] as const
export type Step = (typeof STEPS)[number]

/** Lists all missing entries: those that the requirements demand, and those that a reviewer has requested. */
export function listMissing({ missing, requested }: Progress): readonly VerificationErrorEntry[] {
  return [...missing, ...requested]
}

/** Lists the steps that apply to this customer. */
export function listSteps(progress: Progress): readonly Step[] {
  const { customer, documents } = progress.customerCase
  const applies: Readonly<Record<Step, boolean>> = {
    details: true,
    owners: customer.customer_type === 'BUSINESS',
    documents: documents.length > 0 || listNeededDocuments(progress).length > 0,
    review: true,
  }
  return STEPS.filter((step) => applies[step])
}

/** Finds the first step with a missing entry; the last step if nothing is missing. */
export function findNextStep(progress: Progress): Step {
  const incompleteSteps = listMissing(progress).map((entry) => findStep(progress, entry))
  return listSteps(progress).find((step) => incompleteSteps.includes(step)) ?? 'review'
}

/** Finds the step that can provide a missing entry. Undefined if no step can. */
export function findStep(progress: Progress, entry: VerificationErrorEntry): Step | undefined {
  const { customer, owners, documents } = progress.customerCase
  const { resourceId, type, acceptedDocumentTypes, field } = entry
  if (isUnverifiedContact(progress, entry)) return undefined
  if (documents.some(({ id }) => id === resourceId)) return 'documents'
  if (acceptedDocumentTypes && field === undefined) return 'documents'
  if (type === 'MISSING_BENEFICIAL_OWNER' || owners.some(({ id }) => id === resourceId)) return 'owners'
  return resourceId === customer.id ? 'details' : undefined
}

/** True if the entry is an unverified contact, which only the platform's app can verify. */
export function isUnverifiedContact({ missing }: Progress, entry: VerificationErrorEntry): boolean {
  return missing.includes(entry) && entry.type === 'INVALID_FIELD'
}

/** A required or requested document. */
export interface NeededDocument {
  readonly title: string
  /** The reviewer's comment. */
  readonly reason: string | undefined
  readonly holderId: string
  readonly holderName: string
  readonly accepted: readonly string[]
  readonly monthsMax: number | null
  /** The id of the document to replace, if it may be replaced. */
  readonly replaces: string | undefined
}

export function listNeededDocuments(progress: Progress): readonly NeededDocument[] {
  return listMissing(progress)
    .filter((entry) => findStep(progress, entry) === 'documents')
    .map((entry) => toNeededDocument(progress, entry))
}

function toNeededDocument(progress: Progress, entry: VerificationErrorEntry): NeededDocument {
  const { resourceId, type, reason, acceptedDocumentTypes } = entry
  const document = progress.customerCase.documents.find(({ id }) => id === resourceId)
  const holderId = document?.holder_id ?? resourceId
  const accepted = acceptedDocumentTypes ?? (document ? [document.document_type] : [])
  const monthsMax = getMonthsMax(accepted)
  return {
    title: document
      ? `Another ${lowerFirstLetter(formatDocumentName(document.document_type))}`
      : formatRequirementTitle(type),
    reason: progress.requested.includes(entry) || document ? reason : undefined,
    holderId,
    holderName: formatHolderName(progress, holderId),
    accepted,
    monthsMax,
    replaces: document?.submitted_at === null ? document.id : undefined,
  }
}

/** Formats the name of the customer or beneficial owner with this id. */
export function formatHolderName({ customerCase }: Progress, id: string): string {
  const owner = customerCase.owners.find((other) => other.id === id)
  if (owner) return `${owner.personal_info.firstName} ${owner.personal_info.lastName}`
  const { details } = customerCase.customer
  return details.businessInfo?.legalName ?? details.fullName ?? ''
}
