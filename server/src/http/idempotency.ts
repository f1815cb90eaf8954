import { createHash } from 'node:crypto'
import { keep, type Write } from '../db/commit/writes.ts'
import { toCanonicalJson } from '../json/json.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { ApiError, fieldError } from '../op/operation.ts'
import { selectIdempotencyKey } from './store.ts'

const KEPT_SECONDS = 30 * 24 * 3600

/** A request with an `Idempotency-Key`: where the key counts, and what was asked with it. */
export interface KeyedRequest {
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
}

export interface StoredAnswer {
  readonly status: number
  readonly body: string
}

/** Reads the header. A key is 1 to 255 printable ASCII characters, scoped to method, path and caller: the platform, or an agent. */
export function keyedRequest(
  op: Op,
  header: string | undefined,
  target: string,
  body: unknown,
): KeyedRequest | undefined {
  if (header === undefined) return undefined
  if (!/^[\x20-\x7e]{1,255}$/.test(header))
    throw fieldError(
      'INVALID_INPUT',
      'Idempotency-Key',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    )
  const requestHash = createHash('sha256').update(toCanonicalJson(body)).digest()
  const caller = op.actor.kind === 'agent' ? `${op.platform.id} ${op.actor.agentId}` : op.platform.id
  return { scope: `${caller} ${target}`, key: header, requestHash }
}

/**
 * The answer that was given before under this key, if there is one and it is still kept. Error: 409 `CONFLICT` when it
 * was for another body.
 */
export async function findStoredAnswer(op: Op, request: KeyedRequest): Promise<StoredAnswer | undefined> {
  const stored = await selectIdempotencyKey(op, request.scope, request.key)
  if (!stored) return undefined
  if (!request.requestHash.equals(stored.request_hash))
    throw new ApiError('CONFLICT', {
      message: 'This Idempotency-Key was used before with another request body.',
      details: { header: 'Idempotency-Key' },
    })
  return stored
}

/** Keeps the final answer with its key, in the transaction of the operation. Guard: the key is free. */
export function storeAnswer(op: Op, request: KeyedRequest, answer: StoredAnswer): Write {
  return keep({
    scope: request.scope,
    key: request.key,
    platform_id: op.platform.id,
    request_hash: request.requestHash,
    status: answer.status,
    body: answer.body,
    created_at: op.now,
    expires_at: plusSeconds(op.now, KEPT_SECONDS),
  })
}
