import { ERRORS } from '@countersign/contract/core/errors'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import type { Standing } from '../../rate-limits/request-counts.ts'
import type { RequestLimits } from '../../rate-limits/request-limits.ts'
import type { Head } from '../request/call.ts'

/**
 * Counts the request against its caller's limit, or its address's limit if the credentials are invalid.
 * Throws 429 `RATE_LIMITED` beyond the limit. Requests without credentials are checked before any lookup.
 */
export async function applyLimits(
  limits: RequestLimits,
  head: Head,
  admitCaller: () => Promise<Caller>,
): Promise<Caller> {
  if (!limits.areSet) return admitCaller()
  const isBare = head.authorization === undefined && head.memberSecret === undefined
  if (isBare) recordStanding(head, await limits.takeAddress(head.address))
  let caller: Caller
  try {
    caller = await admitCaller()
  } catch (error) {
    const isStranger = error instanceof ApiError && ERRORS[error.code].status === 401
    if (isStranger && !isBare) recordStanding(head, await limits.takeAddress(head.address))
    throw error
  }
  recordStanding(head, await limits.take(caller.actor))
  return caller
}

/** Records the caller's usage for the response headers. */
export function recordStanding({ seen }: Head, standing: Standing | undefined): void {
  if (seen && standing) seen.standing = standing
}
