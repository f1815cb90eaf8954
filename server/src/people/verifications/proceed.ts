import {
  KYC_TRANSITIONS,
  VERIFICATION_TRANSITIONS,
  type VerificationEvent,
} from '@countersign/contract/states/customer-states'
import { verificationOutcome } from '../../kernel/magic-values/magic-values.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationErrorEntry, VerificationRow } from '../../storage/rows/verification.ts'
import { listUnverifiedContacts } from '../customers/contacts.ts'
import { verificationSuffix } from '../customers/customers.ts'
import { decidesAutomatically } from '../customers/verification.ts'
import { submitDocuments } from '../documents/submission.ts'
import { caseDigest, findCase } from './case.ts'
import { decideCase, type Outcome } from './decide.ts'
import { type Case, listMissingEntries, listUnresolved } from './requirements.ts'
import { selectNewestVerification } from './store.ts'
import { isOpen, moveVerification, type VerificationChange } from './verifications.ts'

/**
 * Continues a customer's verification, or begins one if none is open. With `isRequested`, a complete case is
 * submitted; otherwise it is only marked as complete. If the customer is already decided, returns its last
 * verification, or records the decision that was made without one.
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
  const one = await findCase(op, customer)
  const { missing, requested } = findOutstanding(op, one, open)
  const errors = [...missing, ...requested]
  const digest = caseDigest(op, one)
  const step = stepOf(open, errors.length > 0, isRequested, open?.case_digest !== digest)
  if (step === 'submit') return submit(op, one, open, digest)
  return withGuard(one, moveVerification(op, customer, open, STEPS[step], { errors }))
}

/** The entries that a case still lacks before it can be submitted. */
export interface Outstanding {
  /** Required by the requirement tables. */
  readonly missing: readonly VerificationErrorEntry[]
  /** Requested by a reviewer. */
  readonly requested: readonly VerificationErrorEntry[]
}

export function findOutstanding(op: Op, one: Case, open: VerificationRow | undefined): Outstanding {
  return {
    missing: listMissingEntries(one, listUnverifiedContacts(one.customer), op.now),
    requested: open ? listUnresolved(one, open.requested, open.requested_at) : [],
  }
}

/** A customer's latest verification, its data, and what is missing. */
export async function findProgress(
  op: Op,
  customer: CustomerRow,
): Promise<Outstanding & { readonly one: Case; readonly newest: VerificationRow | undefined }> {
  const newest = await selectNewestVerification(op, customer.id)
  const one = await findCase(op, customer)
  return { one, newest, ...findOutstanding(op, one, newest && isOpen(newest) ? newest : undefined) }
}

type Step = 'find_errors' | 'complete' | 'submit' | 'wait'

const STEPS = { find_errors: ['find_errors'], complete: ['complete'], wait: [] } as const

/** The next step of a verification. Pure. */
export function stepOf(
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

/** Submits a case for a decision by the sandbox (immediately), by a provider (in a job) or by a person. */
async function submit(
  op: Op,
  one: Case,
  open: VerificationRow | undefined,
  digest: string,
): Promise<VerificationChange> {
  const { customer } = one
  const toSubmit: readonly VerificationEvent[] = isSubmitted(open) ? ['submit'] : ['complete', 'submit']
  const submission = (open?.submission ?? 0) + 1
  const change = { errors: [], requested: [], requested_at: null, submission, case_digest: digest }
  const outcome = decideHere(op, one)
  if (outcome?.decision === 'APPROVE' || outcome?.decision === 'REJECT') {
    const decided = await decideCase(op, one, { before: open, by: toSubmit, change }, outcome, {
      type: 'SANDBOX',
    })
    return { ...decided, writes: [...decided.writes, ...submitDocuments(op, one.documents)] }
  }
  const by: readonly VerificationEvent[] = outcome ? [...toSubmit, 'refer'] : toSubmit
  const moved = moveVerification(op, customer, open, by, change)
  const goesToProvider = outcome === undefined && op.verifier !== undefined && !decidesAutomatically(op)
  const providerJob = goesToProvider
    ? [job(op, 'verification.submit', { verificationId: moved.row.id, submission }, op.now)]
    : []
  return withGuard(one, {
    row: moved.row,
    writes: [...moved.writes, ...providerJob, ...submitDocuments(op, one.documents)],
  })
}

/**
 * This server's own decision about a complete case. Undefined if the case waits, either for a provider or
 * because the sandbox leaves it pending.
 */
function decideHere(op: Op, one: Case): Outcome | undefined {
  const isAutomatic = decidesAutomatically(op)
  if (op.mode !== 'sandbox' || (op.verifier && !isAutomatic))
    return op.verifier ? undefined : { decision: 'REFER' }
  const status = verificationOutcome(verificationSuffix(one.customer))
  const isOwnerPending = one.owners.some(({ kyc_status }) => kyc_status === 'PENDING')
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
          reason: 'The check of the customer has failed.',
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
function withGuard({ customer }: Case, { row, writes }: VerificationChange): VerificationChange {
  if (writes.length === 0) return { row, writes }
  const guard: Write = expectRow('customers', customer.id, { version: customer.version, deleted_at: null })
  return { row, writes: [guard, ...writes] }
}
