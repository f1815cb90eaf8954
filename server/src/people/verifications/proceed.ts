import {
  KYC_TRANSITIONS,
  VERIFICATION_TRANSITIONS,
  type VerificationEvent,
} from '@countersign/contract/states/customer-states'
import { findVerificationOutcome } from '../../kernel/magic-values/magic-values.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationErrorEntry, VerificationRow } from '../../storage/rows/verification.ts'
import { listUnverifiedContacts } from '../customers/contacts.ts'
import { readVerificationSuffix } from '../customers/customers.ts'
import { decidesAutomatically } from '../customers/verification.ts'
import { submitDocuments } from '../documents/submission.ts'
import { computeCaseDigest, findCase } from './case.ts'
import { decideCase, type Outcome } from './decide.ts'
import { type Case, listMissingEntries, listUnresolved } from './requirements.ts'
import { selectNewestVerification } from './store.ts'
import { isOpen, moveVerification, type VerificationChange } from './verifications.ts'

/**
 * Continues a customer's verification, or begins one. With `isRequested`, a complete case is submitted;
 * otherwise, it is only marked as complete. For a decided customer, returns the last verification, or records
 * the decision that was made without one.
 */
export async function proceed(
  op: Op,
  customer: CustomerRow,
  isRequested: boolean,
): Promise<VerificationChange> {
  const newest = await selectNewestVerification(op, customer.id)
  const open = newest && isOpen(newest) ? newest : undefined
  if (nextState(KYC_TRANSITIONS, customer.verification_status, 'approve') === null)
    return newest && !open ? { row: newest, writes: [] } : recordDecided(op, customer)
  const caseData = await findCase(op, customer)
  const { missing, requested } = findOutstanding(op, caseData, open)
  const errors = [...missing, ...requested]
  const digest = computeCaseDigest(op, caseData)
  const step = chooseStep(open, errors.length > 0, isRequested, open?.case_digest !== digest)
  if (step === 'submit') return submit(op, caseData, open, digest)
  return addGuard(caseData, moveVerification(op, customer, open, STEPS[step], { errors }))
}

/** The entries that a case lacks before it can be submitted. */
export interface OutstandingEntries {
  /** Required by the requirement tables. */
  readonly missing: readonly VerificationErrorEntry[]
  /** Requested by a reviewer. */
  readonly requested: readonly VerificationErrorEntry[]
}

export function findOutstanding(
  op: Op,
  caseData: Case,
  open: VerificationRow | undefined,
): OutstandingEntries {
  return {
    missing: listMissingEntries(caseData, listUnverifiedContacts(caseData.customer), op.now),
    requested: open ? listUnresolved(caseData, open.requested, open.requested_at) : [],
  }
}

/** Finds a customer's latest verification, its data and its missing entries. */
export async function findProgress(
  op: Op,
  customer: CustomerRow,
): Promise<
  OutstandingEntries & { readonly customerCase: Case; readonly newest: VerificationRow | undefined }
> {
  const newest = await selectNewestVerification(op, customer.id)
  const caseData = await findCase(op, customer)
  return {
    customerCase: caseData,
    newest,
    ...findOutstanding(op, caseData, newest && isOpen(newest) ? newest : undefined),
  }
}

type Step = 'find_errors' | 'complete' | 'submit' | 'wait'

const STEPS = { find_errors: ['find_errors'], complete: ['complete'], wait: [] } as const

/** Chooses the next step of a verification. Pure. */
export function chooseStep(
  open: Pick<VerificationRow, 'status'> | undefined,
  hasErrors: boolean,
  isRequested: boolean,
  isChanged: boolean,
): Step {
  if (hasErrors) return 'find_errors'
  if (isSubmitted(open)) return isChanged ? 'submit' : 'wait'
  return isRequested ? 'submit' : 'complete'
}

/** True while the verification waits for a decision. */
function isSubmitted(open: Pick<VerificationRow, 'status'> | undefined): boolean {
  return open !== undefined && VERIFICATION_TRANSITIONS[open.status].approve !== null
}

/** Submits a case for a decision by the sandbox (immediately), by a provider (in a job) or by an operator. */
async function submit(
  op: Op,
  caseData: Case,
  open: VerificationRow | undefined,
  digest: string,
): Promise<VerificationChange> {
  const { customer } = caseData
  const toSubmit: readonly VerificationEvent[] = isSubmitted(open) ? ['submit'] : ['complete', 'submit']
  const submission = (open?.submission ?? 0) + 1
  const change = { errors: [], requested: [], requested_at: null, submission, case_digest: digest }
  const outcome = decideHere(op, caseData)
  if (outcome?.decision === 'APPROVE' || outcome?.decision === 'REJECT') {
    const decided = await decideCase(op, caseData, { before: open, by: toSubmit, change }, outcome, {
      type: 'SANDBOX',
    })
    return { ...decided, writes: [...decided.writes, ...submitDocuments(op, caseData.documents)] }
  }
  const by: readonly VerificationEvent[] = outcome ? [...toSubmit, 'refer'] : toSubmit
  const moved = moveVerification(op, customer, open, by, change)
  const needsProvider = outcome === undefined && op.verifier !== undefined && !decidesAutomatically(op)
  const providerJob = needsProvider
    ? [job(op, 'verification.submit', { verificationId: moved.row.id, submission }, op.now)]
    : []
  return addGuard(caseData, {
    row: moved.row,
    writes: [...moved.writes, ...providerJob, ...submitDocuments(op, caseData.documents)],
  })
}

/**
 * Decides a complete case on this server. Undefined if the case waits for a provider, or the sandbox leaves
 * it pending.
 */
function decideHere(op: Op, caseData: Case): Outcome | undefined {
  const isAutomatic = decidesAutomatically(op)
  if (op.mode !== 'sandbox' || (op.verifier && !isAutomatic))
    return op.verifier ? undefined : { decision: 'REFER' }
  const status = findVerificationOutcome(readVerificationSuffix(caseData.customer))
  const isOwnerPending = caseData.owners.some(({ kyc_status }) => kyc_status === 'PENDING')
  if (status === 'PENDING' || (isAutomatic && isOwnerPending)) return undefined
  if (status === 'REJECTED') return { decision: 'REJECT', reason: 'The sandbox rejects this suffix.' }
  return { decision: isAutomatic ? 'APPROVE' : 'REFER' }
}

/** Records a decision that was made when the customer was created, without a verification. */
function recordDecided(op: Op, customer: CustomerRow): VerificationChange {
  const isRejected = nextState(KYC_TRANSITIONS, customer.verification_status, 'reopen') !== null
  const errors: VerificationErrorEntry[] = isRejected
    ? [
        {
          resourceId: customer.id,
          type: 'APPLICANT_REJECTED',
          reason: "The customer's verification failed.",
        },
      ]
    : []
  const by = isRejected ? (['reject'] as const) : (['complete', 'submit', 'approve'] as const)
  const { row, writes } = moveVerification(op, customer, undefined, by, { errors })
  const { id, version } = customer
  // If several calls run concurrently, one creates the record and the others find it.
  return {
    row,
    writes: [update('customers', id, { version, deleted_at: null }, { version: version + 1 }), ...writes],
  }
}

/** Guard: the customer and its owners are unchanged. */
function addGuard({ customer }: Case, { row, writes }: VerificationChange): VerificationChange {
  if (writes.length === 0) return { row, writes }
  const guard: Write = expectRow('customers', customer.id, { version: customer.version, deleted_at: null })
  return { row, writes: [guard, ...writes] }
}
