import { hash } from 'node:crypto'
import { keep, type Write } from '../db/commit/writes.ts'
import { toCanonicalJson } from '../json/json.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { selectIdempotencyKey } from './store.ts'

const DAY_SECONDS = 24 * 3600

/** A request that is performed once: where its answer is stored, and what was requested. */
export interface KeyedRequest {
  /** The scope within which the key is unique. */
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
  /** Whether the answer holds a secret: it is stored sealed. */
  readonly isSecret?: boolean
}

export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/** Distinguishes a request from another one with the same key. */
export function hashRequest(content: unknown): Buffer {
  return hash('sha256', toCanonicalJson(content), 'buffer')
}

/**
 * The stored answer under this key, if there is one and it has not expired. Throws `usedBefore()` where it is for another
 * request.
 */
export async function findKeptAnswer(
  op: Op,
  request: KeyedRequest,
  usedBefore: () => Error,
): Promise<KeptAnswer | undefined> {
  const kept = await selectIdempotencyKey(op, request.scope, request.key)
  if (kept && !request.requestHash.equals(kept.request_hash)) throw usedBefore()
  if (!kept || !request.isSecret) return kept
  const sealed = Buffer.from(kept.body, 'base64')
  return { status: kept.status, body: op.enclave.openText('keptAnswer', nameOf(request), sealed) }
}

/** Stores the final answer with its key, in the transaction of the operation. Guard: the key is free. */
export function keepAnswer(op: Op, request: KeyedRequest, answer: KeptAnswer): Write {
  return keep({
    scope: request.scope,
    key: request.key,
    platform_id: op.platform.id,
    request_hash: request.requestHash,
    status: answer.status,
    body: request.isSecret ? sealed(op, request, answer) : answer.body,
    created_at: op.now,
    expires_at: plusSeconds(op.now, op.keptAnswerDays * DAY_SECONDS),
  })
}

function sealed(op: Op, request: KeyedRequest, { body }: KeptAnswer): string {
  return Buffer.from(op.enclave.sealText('keptAnswer', nameOf(request), body)).toString('base64')
}

function nameOf({ scope, key }: KeyedRequest): string {
  return `${scope}\n${key}`
}
