import type { SuccessOf } from '@countersign/contract/core/endpoint'
import type { verification_get } from '@countersign/contract/customers/verifications'
import {
  VERIFICATION_INITIAL,
  VERIFICATION_TRANSITIONS,
  type VerificationEvent,
  type VerificationState,
} from '@countersign/contract/states/customer-states'
import { toCanonicalJson } from '../../base/json/json.ts'
import { maySee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { stateAfter, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { Lookup } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { VerificationRow } from '../../storage/rows/verification.ts'
import { selectAllVerifications, selectVerification, selectVerificationWithPlatform } from './store.ts'

type VerificationView = SuccessOf<typeof verification_get>['body']

/** A verification of this platform. Throws 404 `VERIFICATION_NOT_FOUND`. */
export async function findVerification(op: Op, id: string): Promise<VerificationRow> {
  const verification = await selectVerification(op, id)
  if (!verification || !maySee(op, verification.customer_id))
    throw new ApiError('VERIFICATION_NOT_FOUND', { details: { field: 'verificationId' } })
  return verification
}

/** A verification on any platform, together with its platform, for callers that do not act for a platform. */
export async function findVerificationWithPlatform(lookup: Lookup, id: string) {
  return selectVerificationWithPlatform(lookup, id)
}

const LISTED_MAX = 100

/** The oldest hundred verifications of all platforms in a status, as the operator's command shows them. */
export async function listAllVerifications(read: Read, status: VerificationState) {
  const rows = await selectAllVerifications(read, status, LISTED_MAX)
  return rows.map((row) => ({ platformId: row.platform_id, ...verificationView(row) }))
}

/** True while the verification is undecided. */
export function isOpen({ status }: Pick<VerificationRow, 'status'>): boolean {
  return VERIFICATION_TRANSITIONS[status].reject !== null
}

/** A verification with its writes. */
export interface VerificationChange {
  readonly row: VerificationRow
  readonly writes: readonly Write[]
}

/**
 * Begins a verification or advances it by the given events, and reports its new status. Does nothing if
 * nothing that the API shows would change. Guard: the verification was not moved in the meantime.
 */
export function moveVerification(
  op: Op,
  { id: customerId }: Pick<CustomerRow, 'id'>,
  before: VerificationRow | undefined,
  by: readonly VerificationEvent[],
  change: Partial<VerificationRow>,
): VerificationChange {
  if (before && isSame(before, by, change)) return { row: before, writes: [] }
  const { row, write } = before
    ? transition(op, 'verifications', VERIFICATION_TRANSITIONS, before, by, change, {
        submission: before.submission,
        updated_at: before.updated_at,
      })
    : begin(op, customerId, by, change)
  return { row, writes: [write, verificationEvent(op, row)] }
}

function begin(
  op: Op,
  customerId: string,
  by: readonly VerificationEvent[],
  change: Partial<VerificationRow>,
): { readonly row: VerificationRow; readonly write: Write } {
  const id = op.newId('Verification')
  const row: VerificationRow = {
    id,
    platform_id: op.platform.id,
    customer_id: customerId,
    errors: [],
    requested: [],
    requested_at: null,
    submission: 0,
    case_digest: null,
    ...change,
    status: stateAfter(VERIFICATION_TRANSITIONS, VERIFICATION_INITIAL, by, id),
    created_at: op.now,
    updated_at: op.now,
  }
  return { row, write: insert('verifications', row) }
}

function isSame(
  before: VerificationRow,
  by: readonly VerificationEvent[],
  change: Partial<VerificationRow>,
): boolean {
  const status = stateAfter<typeof VERIFICATION_TRANSITIONS>(
    VERIFICATION_TRANSITIONS,
    before.status,
    by,
    before.id,
  )
  return toCanonicalJson({ ...before, ...change, status }) === toCanonicalJson(before)
}

function verificationEvent(op: Op, row: VerificationRow): Write {
  return event(op, `VERIFICATION.${row.status}`, row.id, verificationView(row))
}

/** A verification as the API shows it. */
export function verificationView(row: VerificationRow): VerificationView {
  return {
    id: row.id,
    customerId: row.customer_id,
    verificationStatus: row.status,
    errors: row.errors,
    submission: row.submission,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
