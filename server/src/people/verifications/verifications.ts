import type { SuccessOf } from '@countersign/contract/core/endpoint'
import type { verification_get } from '@countersign/contract/customers/verifications'
import {
  VERIFICATION_INITIAL,
  VERIFICATION_TRANSITIONS,
  type VerificationEvent,
  type VerificationState,
} from '@countersign/contract/states/customer-states'
import { toCanonicalJson } from '../../base/json/json.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
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

/** Finds a verification. Throws 404 `VERIFICATION_NOT_FOUND`. */
export async function findVerification(op: Op, id: string): Promise<VerificationRow> {
  const verification = await selectVerification(op, id)
  if (!verification || !canSee(op, verification.customer_id))
    throw new ApiError('VERIFICATION_NOT_FOUND', { details: { field: 'verificationId' } })
  return verification
}

/** Finds a verification and its platform, for callers that do not act for a platform. */
export async function findVerificationWithPlatform(lookup: Lookup, id: string) {
  return selectVerificationWithPlatform(lookup, id)
}

const LISTED_MAX = 100

/** Lists the oldest hundred verifications in a status, of all platforms, for the operator's command. */
export async function listAllVerifications(read: Read, status: VerificationState) {
  const rows = await selectAllVerifications(read, status, LISTED_MAX)
  return rows.map((row) => ({ platformId: row.platform_id, ...toVerificationView(row) }))
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
 * Begins a verification or moves it by `events`, and sends an event with its new status. Does nothing if
 * nothing would change. Guard: the verification was not moved in the meantime.
 */
export function moveVerification(
  op: Op,
  { id: customerId }: Pick<CustomerRow, 'id'>,
  before: VerificationRow | undefined,
  events: readonly VerificationEvent[],
  change: Partial<VerificationRow>,
): VerificationChange {
  if (before && isSame(before, events, change)) return { row: before, writes: [] }
  const { row, write } = before
    ? transition(op, 'verifications', VERIFICATION_TRANSITIONS, before, events, change, {
        submission: before.submission,
        updated_at: before.updated_at,
      })
    : beginVerification(op, customerId, events, change)
  return { row, writes: [write, buildStatusEvent(op, row)] }
}

function beginVerification(
  op: Op,
  customerId: string,
  events: readonly VerificationEvent[],
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
    status: stateAfter(VERIFICATION_TRANSITIONS, VERIFICATION_INITIAL, events, id),
    created_at: op.now,
    updated_at: op.now,
  }
  return { row, write: insert('verifications', row) }
}

function isSame(
  before: VerificationRow,
  events: readonly VerificationEvent[],
  change: Partial<VerificationRow>,
): boolean {
  const status = stateAfter<typeof VERIFICATION_TRANSITIONS>(
    VERIFICATION_TRANSITIONS,
    before.status,
    events,
    before.id,
  )
  return toCanonicalJson({ ...before, ...change, status }) === toCanonicalJson(before)
}

function buildStatusEvent(op: Op, row: VerificationRow): Write {
  return event(op, `VERIFICATION.${row.status}`, row.id, toVerificationView(row))
}

/** Converts a verification to its API form. */
export function toVerificationView(row: VerificationRow): VerificationView {
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
