import type { VerificationState } from '@countersign/contract/states/customer-states'
import type { Op } from '../../kernel/operation/app.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import { type Lookup, lookupById } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'
import type { VerificationDecisionRow, VerificationRow } from '../../storage/rows/verification.ts'

const BY_ID = lookupById('verifications')

export async function selectVerification(op: Op, id: string): Promise<VerificationRow | undefined> {
  return op.find(BY_ID, id)
}

/** Selects a customer's latest verification. */
export async function selectNewestVerification(
  op: Op,
  customerId: string,
): Promise<VerificationRow | undefined> {
  return op.read
    .selectFrom('verifications')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('customer_id', '=', customerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export interface VerificationFilters {
  readonly customerId?: string
  readonly verificationStatus?: VerificationState
}

/** A page of the matching verifications. */
export function selectVerifications(op: Op, { customerId, verificationStatus }: VerificationFilters) {
  return op.read
    .selectFrom('verifications')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'status', '=', verificationStatus))
}

/** A page of a verification's decisions. */
export function selectDecisions(op: Op, verificationId: string) {
  return op.read
    .selectFrom('verification_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('verification_id', '=', verificationId)
}

/** Selects the decision made by an event of the provider. */
export async function selectEventDecision(
  op: Op,
  verificationId: string,
  eventId: string,
): Promise<VerificationDecisionRow | undefined> {
  return selectDecisions(op, verificationId)
    .where('decider', '=', 'PROVIDER')
    .where('decider_id', '=', eventId)
    .executeTakeFirst()
}

/** Finds a verification and its platform, for callers that do not act for a platform. */
export async function selectVerificationWithPlatform(
  lookup: Lookup,
  id: string,
): Promise<{ readonly verification: VerificationRow; readonly platform: BarePlatformRow } | undefined> {
  const verification = await lookup(BY_ID, id)
  const platform = verification && (await lookup(BARE_PLATFORM_BY_ID, verification.platform_id))
  return platform && { verification, platform }
}

/** Verifications of all platforms in a status, oldest first. */
export async function selectAllVerifications(
  read: Read,
  status: VerificationState,
  limit: number,
): Promise<VerificationRow[]> {
  return read
    .selectFrom('verifications')
    .innerJoin('platforms', 'platforms.id', 'verifications.platform_id')
    .selectAll('verifications')
    .where('verifications.status', '=', status)
    .where('platforms.closed_at', 'is', null)
    .orderBy('verifications.created_at')
    .orderBy('verifications.id')
    .limit(limit)
    .execute()
}
