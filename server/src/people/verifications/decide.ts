import {
  DOCUMENT_REQUIREMENTS,
  type DocumentRequirementName,
} from '@countersign/contract/customers/verification-requirements'
import type { VerificationDecision } from '@countersign/contract/customers/verifications'
import {
  OWNER_KYC_TRANSITIONS,
  VERIFICATION_TRANSITIONS,
  type VerificationEvent,
} from '@countersign/contract/states/customer-states'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import type {
  BeneficialOwnerRow,
  VerificationErrorEntry,
  VerificationRow,
} from '../../storage/rows/verification.ts'
import { decideBeneficialOwner } from '../customers/beneficial-owners.ts'
import { moveCustomer } from '../customers/verification.ts'
import { releaseDocuments } from '../documents/submission.ts'
import type { Case } from './requirements.ts'
import { moveVerification, type VerificationChange } from './verifications.ts'

type Decision = Static<typeof VerificationDecision>['decision']

/** The result for a customer and, for a business, for individual owners. */
export interface Outcome {
  readonly decision: Decision
  readonly reason?: string
  readonly errors?: readonly VerificationErrorEntry[]
  readonly beneficialOwners?: readonly {
    readonly beneficialOwnerId: string
    readonly decision: 'APPROVE' | 'REJECT'
  }[]
}

/** The author of a decision. */
export interface Decider {
  readonly type: Static<typeof VerificationDecision>['decidedBy']['type']
  readonly id?: string
}

/** The verification to decide, with the events that first move it to a decidable state. */
export interface PendingDecision {
  readonly before: VerificationRow | undefined
  readonly by?: readonly VerificationEvent[]
  readonly change?: Partial<VerificationRow>
}

/** The verification event of each decision. */
const DECISION_EVENTS = {
  APPROVE: 'approve',
  REJECT: 'reject',
  REQUEST_INFORMATION: 'find_errors',
  REFER: 'refer',
  REOPEN: 'reopen',
} as const satisfies Record<Decision, VerificationEvent>

/** The customer event of each decision. */
const CUSTOMER_EVENTS = {
  APPROVE: 'approve',
  REJECT: 'reject',
  REQUEST_INFORMATION: undefined,
  REFER: undefined,
  REOPEN: 'reopen',
} as const

/**
 * Decides a verification: moves it with the customer and its owners, and records the decision and its author.
 * Throws 400 naming a missing field, 409 `INVALID_STATE_TRANSITION`, or 409 `BENEFICIAL_OWNER_REJECTED` if an
 * approved business would have a rejected owner. Guards: the verification, the customer and its owners are
 * unchanged.
 */
export async function decideCase(
  op: Op,
  caseData: Case,
  { before, by = [], change = {} }: PendingDecision,
  outcome: Outcome,
  decider: Decider,
): Promise<VerificationChange> {
  const { customer } = caseData
  checkOutcome(caseData, outcome)
  const events = [...by, DECISION_EVENTS[outcome.decision]]
  if (before && nextState(VERIFICATION_TRANSITIONS, before.status, events) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `A verification in state ${before.status} does not accept the decision ${outcome.decision}.`,
      details: { field: 'decision', verificationStatus: before.status },
    })
  const errors = listErrors(caseData, outcome)
  const isRequest = outcome.decision === 'REQUEST_INFORMATION'
  const moved = moveVerification(op, customer, before, events, {
    ...change,
    errors,
    ...(isRequest ? { requested: errors, requested_at: op.now } : {}),
  })
  const customerEvent = CUSTOMER_EVENTS[outcome.decision]
  return {
    row: moved.row,
    writes: [
      ...moved.writes,
      insert('verification_decisions', {
        id: op.newId('VerificationDecision'),
        platform_id: op.platform.id,
        verification_id: moved.row.id,
        submission: moved.row.submission,
        decision: outcome.decision,
        reason: outcome.reason ?? null,
        errors,
        decider: decider.type,
        decider_id: decider.id ?? null,
        created_at: op.now,
      }),
      ...decideOwners(op, caseData, outcome),
      ...(isRequest
        ? releaseDocuments(caseData.documents, new Set(errors.map(({ resourceId }) => resourceId)))
        : []),
      ...(customerEvent
        ? await moveCustomer(op, customer, customerEvent)
        : [expectRow('customers', customer.id, { version: customer.version, deleted_at: null })]),
    ],
  }
}

/** Throws 400 naming an entry that is missing or does not belong to the case. */
function checkOutcome({ customer, owners, documents }: Case, outcome: Outcome): void {
  const { decision, reason, errors, beneficialOwners = [] } = outcome
  if (decision === 'REJECT' && reason === undefined)
    throw createFieldError('INVALID_INPUT', 'reason', 'reason is required for REJECT')
  if (decision === 'REQUEST_INFORMATION' && errors === undefined)
    throw createFieldError('INVALID_INPUT', 'errors', 'errors is required for REQUEST_INFORMATION')
  if (decision !== 'REQUEST_INFORMATION' && errors !== undefined)
    throw createFieldError('INVALID_INPUT', 'errors', 'errors is allowed only with REQUEST_INFORMATION')
  const parts = new Set([customer.id, ...owners.map(({ id }) => id), ...documents.map(({ id }) => id)])
  const unknownEntry = (errors ?? []).findIndex(({ resourceId }) => !parts.has(resourceId))
  if (unknownEntry >= 0)
    throw createFieldError(
      'INVALID_INPUT',
      `errors.${unknownEntry}.resourceId`,
      `errors.${unknownEntry}.resourceId is neither this customer nor caseData of its beneficial owners or documents`,
    )
  const invalidOwner = beneficialOwners.findIndex(
    ({ beneficialOwnerId }, at) =>
      !owners.some(({ id }) => id === beneficialOwnerId) ||
      beneficialOwners.findIndex((other) => other.beneficialOwnerId === beneficialOwnerId) !== at,
  )
  if (invalidOwner >= 0)
    throw createFieldError(
      'INVALID_INPUT',
      `beneficialOwners.${invalidOwner}.beneficialOwnerId`,
      `beneficialOwners.${invalidOwner}.beneficialOwnerId is not a beneficial owner of this customer, or is listed twice`,
    )
}

function listErrors(
  { customer }: Case,
  { decision, reason, errors = [] }: Outcome,
): VerificationErrorEntry[] {
  if (decision === 'REJECT' && reason !== undefined)
    return [{ resourceId: customer.id, type: 'APPLICANT_REJECTED', reason }]
  return errors.map(addAcceptedTypes)
}

/**
 * Adds the document types that satisfy a requirement, if a decision requests the requirement without naming
 * types.
 */
function addAcceptedTypes(entry: VerificationErrorEntry): VerificationErrorEntry {
  const { type, acceptedDocumentTypes } = entry
  if (acceptedDocumentTypes || !isDocumentRequirement(type)) return entry
  return { ...entry, acceptedDocumentTypes: [...DOCUMENT_REQUIREMENTS[type].accepted] }
}

function isDocumentRequirement(type: string): type is DocumentRequirementName {
  return Object.hasOwn(DOCUMENT_REQUIREMENTS, type)
}

/**
 * Decides the owners named in the decision and, if a business is approved, all pending ones. Throws 409 if a
 * rejected owner would remain.
 */
function decideOwners(op: Op, { owners }: Case, { decision, beneficialOwners = [] }: Outcome): Write[] {
  const writes: Write[] = []
  for (const owner of owners) {
    const named = beneficialOwners.find(({ beneficialOwnerId }) => beneficialOwnerId === owner.id)
    const ownerDecision =
      named?.decision ?? (decision === 'APPROVE' && isPending(owner) ? 'APPROVE' : undefined)
    const isRejected =
      ownerDecision === 'REJECT' || (ownerDecision === undefined && owner.kyc_status === 'REJECTED')
    if (decision === 'APPROVE' && isRejected)
      throw new ApiError('BENEFICIAL_OWNER_REJECTED', {
        details: { field: 'beneficialOwners', beneficialOwnerId: owner.id },
      })
    if (ownerDecision && isPending(owner))
      writes.push(decideBeneficialOwner(op, owner, ownerDecision === 'APPROVE' ? 'approve' : 'reject'))
  }
  return writes
}

function isPending({ kyc_status }: BeneficialOwnerRow): boolean {
  return nextState(OWNER_KYC_TRANSITIONS, kyc_status, 'approve') !== null
}
