import {
  findKeptAnswer,
  hashRequest,
  type KeptAnswer,
  type KeyedRequest,
} from '../kept-answers/kept-answers.ts'
import type { Op } from '../op/app.ts'
import { ApiError, fieldError } from '../op/operation.ts'

/**
 * Reads the header. A key is 1 to 255 printable ASCII characters, scoped to method, path and caller (platform, agent or
 * verification page). `isSecret`: the answer is kept sealed.
 */
export function keyedRequest(
  op: Op,
  header: string | undefined,
  { target, body, isSecret }: { readonly target: string; readonly body: unknown; readonly isSecret: boolean },
): KeyedRequest | undefined {
  if (header === undefined) return undefined
  if (!/^[\x20-\x7e]{1,255}$/.test(header))
    throw fieldError(
      'INVALID_INPUT',
      'Idempotency-Key',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    )
  return { scope: `${callerOf(op)} ${target}`, key: header, requestHash: hashRequest(body), isSecret }
}

function callerOf({ platform, actor }: Op): string {
  if (actor.kind === 'agent') return `${platform.id} ${actor.agentId}`
  return actor.kind === 'kycLink' ? `${platform.id} ${actor.linkId}` : platform.id
}

/**
 * The stored answer under this key, if there is one and it has not expired. Error: 409 `CONFLICT` where it is for another
 * body.
 */
export async function findStoredAnswer(op: Op, request: KeyedRequest): Promise<KeptAnswer | undefined> {
  return findKeptAnswer(op, request, usedBefore)
}

function usedBefore(): ApiError {
  return new ApiError('CONFLICT', {
    message: 'This Idempotency-Key was already used with another request body.',
    details: { header: 'Idempotency-Key' },
  })
}
