import { createHash } from 'node:crypto'
import { keep, type Write } from '../db/commit/writes.ts'
import { toCanonicalJson } from '../json/json.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { selectIdempotencyKey } from './store.ts'

const KEPT_SECONDS = 30 * 24 * 3600

/** A request that is done once: where its answer is kept, and what was asked. */
export interface KeyedRequest {
  /** Where the key counts. */
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
}

export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/** What tells a request from another one with the same key. */
export function hashRequest(content: unknown): Buffer {
  return createHash('sha256').update(toCanonicalJson(content)).digest()
}

/**
 * The answer that was given before under this key, if there is one and it is still kept. Throws `usedBefore()` when it
 * was for another request.
 */
export async function findKeptAnswer(
  op: Op,
  request: KeyedRequest,
  usedBefore: () => Error,
): Promise<KeptAnswer | undefined> {
  const kept = await selectIdempotencyKey(op, request.scope, request.key)
  if (kept && !request.requestHash.equals(kept.request_hash)) throw usedBefore()
  return kept
}

/** Keeps the final answer with its key, in the transaction of the operation. Guard: the key is free. */
export function keepAnswer(op: Op, request: KeyedRequest, answer: KeptAnswer): Write {
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
