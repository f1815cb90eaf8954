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
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
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

/** The verification to decide, with the events that first move it to a state in which it can be decided. */
export interface Decided {
  readonly before: VerificationRow | undefined
  readonly by?: readonly VerificationEvent[]
  readonly change?: Partial<VerificationRow>
}

/** The verification event of each decision. */
const EVENT_OF = {
  APPROVE: 'approve',
  REJECT: 'reject',
  REQUEST_INFORMATION: 'find_errors',
  REFER: 'refer',
  REOPEN: 'reopen',
} as const satisfies Record<Decision, VerificationEvent>

/** The customer event of each decision. */
const CUSTOMER_EVENT_OF = {
  APPROVE: 'approve',
  REJECT: 'reject',
  REQUEST_INFORMATION: undefined,
  REFER: undefined,
  REOPEN: 'reopen',
} as const

/**
 * Decides a verification: moves it together with the customer and its owners, and records the decision and
 * who made it. Throws 400 naming what the decision lacks, 409 `INVALID_STATE_TRANSITION`, 409
 * `BENEFICIAL_OWNER_REJECTED` if a business with a rejected owner would be approved. Guards: the
 * verification, the customer and its owners are unchanged.
 */
export async function decideCase(
  op: Op,
  one: Case,
  { before, by = [], change = {} }: Decided,
  outcome: Outcome,
  decider: Decider,
): Promise<VerificationChange> {
  const { customer } = one
  checkOutcome(one, outcome)
  const events = [...by, EVENT_OF[outcome.decision]]
  if (before && nextState(VERIFICATION_TRANSITIONS, before.status, events) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `A verification that is ${before.status} cannot be decided so: ${outcome.decision}.`,
      details: { field: 'decision', verificationStatus: before.status },
    })
  const errors = errorsOf(one, outcome)
  const isRequest = outcome.decision === 'REQUEST_INFORMATION'
  const moved = moveVerification(op, customer, before, events, {
    ...change,
    errors,
    ...(isRequest ? { requested: errors, requested_at: op.now } : {}),
  })
  const customerEvent = CUSTOMER_EVENT_OF[outcome.decision]
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
      ...decideOwners(op, one, outcome),
      ...(isRequest ? releaseDocuments(one.documents, new Set(errors.map((e) => e.resourceId))) : []),
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
    throw fieldError('INVALID_INPUT', 'reason', 'reason is required for REJECT')
  if (decision === 'REQUEST_INFORMATION' && errors === undefined)
    throw fieldError('INVALID_INPUT', 'errors', 'errors is required for REQUEST_INFORMATION')
  if (decision !== 'REQUEST_INFORMATION' && errors !== undefined)
    throw fieldError('INVALID_INPUT', 'errors', 'errors is only for REQUEST_INFORMATION')
  const parts = new Set([customer.id, ...owners.map(({ id }) => id), ...documents.map(({ id }) => id)])
  const unknown = (errors ?? []).findIndex(({ resourceId }) => !parts.has(resourceId))
  if (unknown >= 0)
    throw fieldError(
      'INVALID_INPUT',
      `errors.${unknown}.resourceId`,
      `errors.${unknown}.resourceId is neither this customer nor one of its beneficial owners and documents`,
    )
  const others = beneficialOwners.findIndex(
    ({ beneficialOwnerId }, at) =>
      !owners.some(({ id }) => id === beneficialOwnerId) ||
      beneficialOwners.findIndex((other) => other.beneficialOwnerId === beneficialOwnerId) !== at,
  )
  if (others >= 0)
    throw fieldError(
      'INVALID_INPUT',
      `beneficialOwners.${others}.beneficialOwnerId`,
      `beneficialOwners.${others}.beneficialOwnerId is not a beneficial owner of this customer, or is given twice`,
    )
}

function errorsOf({ customer }: Case, { decision, reason, errors = [] }: Outcome): VerificationErrorEntry[] {
  if (decision === 'REJECT' && reason !== undefined)
    return [{ resourceId: customer.id, type: 'APPLICANT_REJECTED', reason }]
  return errors.map(withAcceptedTypes)
}

/**
 * If a decision requests a document by its requirement without naming types, the types that satisfy the
 * requirement are accepted.
 */
function withAcceptedTypes(entry: VerificationErrorEntry): VerificationErrorEntry {
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
    const found = named?.decision ?? (decision === 'APPROVE' && isPending(owner) ? 'APPROVE' : undefined)
    const isRejected = found === 'REJECT' || (found === undefined && owner.kyc_status === 'REJECTED')
    if (decision === 'APPROVE' && isRejected)
      throw new ApiError('BENEFICIAL_OWNER_REJECTED', {
        details: { field: 'beneficialOwners', beneficialOwnerId: owner.id },
      })
    if (found && isPending(owner))
      writes.push(decideBeneficialOwner(op, owner, found === 'APPROVE' ? 'approve' : 'reject'))
  }
  return writes
}

function isPending({ kyc_status }: BeneficialOwnerRow): boolean {
  return nextState(OWNER_KYC_TRANSITIONS, kyc_status, 'approve') !== null
}
