import { hash } from 'node:crypto'
import { toCanonicalJson } from '../../base/json/json.ts'
import { keep, type Write } from '../../storage/commit/writes.ts'
import { addSeconds, type Op } from '../operation/app.ts'
import type { ApiError } from '../operation/operation.ts'
import { selectIdempotencyKey } from './store.ts'

const DAY_SECONDS = 24 * 3600

/** An idempotent request, identified by its key and a hash of its content. */
export interface KeyedRequest {
  /** The scope in which the key is unique. */
  readonly scope: string
  readonly key: string
  readonly requestHash: Buffer
  /** True if the response contains a secret, so that it must be stored sealed. */
  readonly isSecret?: boolean
  /** The error for a different request with the same key. */
  readonly conflict: () => ApiError
}

export interface StoredResponse {
  readonly status: number
  readonly body: string
}

/** Hashes the content of a request, to tell it from other requests with the same key. */
export function hashRequest(content: unknown): Buffer {
  return hash('sha256', toCanonicalJson(content), 'buffer')
}

/**
 * The response stored under this key, unless it has expired. Throws the request's `conflict` error if the key
 * belongs to a different request.
 */
export async function findStoredResponse(op: Op, request: KeyedRequest): Promise<StoredResponse | undefined> {
  const stored = await selectIdempotencyKey(op, request.scope, request.key)
  if (stored && !request.requestHash.equals(stored.request_hash)) throw request.conflict()
  if (!stored || !request.isSecret) return stored
  const sealed = Buffer.from(stored.body, 'base64')
  return { status: stored.status, body: op.enclave.openText('keptAnswer', sealContext(request), sealed) }
}

/** Stores the final response under its key, in the operation's transaction. Guard: the key is free. */
export function saveResponse(op: Op, request: KeyedRequest, answer: StoredResponse): Write {
  return keep({
    scope: request.scope,
    key: request.key,
    platform_id: op.platform.id,
    request_hash: request.requestHash,
    status: answer.status,
    body: request.isSecret ? sealResponse(op, request, answer) : answer.body,
    created_at: op.now,
    expires_at: addSeconds(op.now, op.storedResponseDays * DAY_SECONDS),
  })
}

function sealResponse(op: Op, request: KeyedRequest, { body }: StoredResponse): string {
  return Buffer.from(op.enclave.sealText('keptAnswer', sealContext(request), body)).toString('base64')
}

function sealContext({ scope, key }: KeyedRequest): string {
  return `${scope}\n${key}`
}
