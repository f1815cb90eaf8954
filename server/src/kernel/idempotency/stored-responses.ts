import { hash } from 'node:crypto'
import { toCanonicalJson } from '../../base/json/json.ts'
import { keep, type Write } from '../../storage/commit/writes.ts'
import { type Op, plusSeconds } from '../operation/app.ts'
import type { ApiError } from '../operation/operation.ts'
import { selectIdempotencyKey } from './store.ts'

const DAY_SECONDS = 24 * 3600

/** A request that is performed once: the key of its stored response, and what was requested. */
export interface KeyedRequest {
  /** The scope within which the key is unique. */
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
  /** Whether the response holds a secret: it is stored sealed. */
  readonly isSecret?: boolean
  /** The error for another request under this key. */
  readonly conflict: () => ApiError
}

export interface StoredAnswer {
  readonly status: number
  readonly body: string
}

/** Distinguishes a request from another one with the same key. */
export function hashRequest(content: unknown): Buffer {
  return hash('sha256', toCanonicalJson(content), 'buffer')
}

/**
 * The stored response under this key, if there is one and it has not expired. Error: that of the request, if it is for
 * another one.
 */
export async function findStoredAnswer(op: Op, request: KeyedRequest): Promise<StoredAnswer | undefined> {
  const stored = await selectIdempotencyKey(op, request.scope, request.key)
  if (stored && !request.requestHash.equals(stored.request_hash)) throw request.conflict()
  if (!stored || !request.isSecret) return stored
  const sealed = Buffer.from(stored.body, 'base64')
  return { status: stored.status, body: op.enclave.openText('keptAnswer', nameOf(request), sealed) }
}

/** Stores the final response with its key, in the transaction of the operation. Guard: the key is free. */
export function storeAnswer(op: Op, request: KeyedRequest, answer: StoredAnswer): Write {
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

function sealed(op: Op, request: KeyedRequest, { body }: StoredAnswer): string {
  return Buffer.from(op.enclave.sealText('keptAnswer', nameOf(request), body)).toString('base64')
}

function nameOf({ scope, key }: KeyedRequest): string {
  return `${scope}\n${key}`
}
