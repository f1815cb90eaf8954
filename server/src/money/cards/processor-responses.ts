import type {
  CardAuthorizationResponse,
  CardMovementResponse,
} from '@countersign/contract/cards/card-processor'
import type { Static } from 'typebox'
import { parseJson, toCanonicalJson, toJson } from '../../base/json/json.ts'
import {
  findStoredResponse,
  hashRequest,
  type KeyedRequest,
  saveResponse,
} from '../../kernel/idempotency/stored-responses.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { AuthorizationEvent, ProcessorEvent } from '../../kernel/ports/card-processor.ts'
import type { Write } from '../../storage/commit/writes.ts'

/** Stores the responses to the card processor's events, so that each event is decided once. */

export type AuthorizationResponse = Static<typeof CardAuthorizationResponse>
export type ProcessorEventResponse = AuthorizationResponse | Static<typeof CardMovementResponse>

/**
 * The key under which the response to an event is stored. An authorization is identified by its token, a
 * claim or return by its own id.
 */
export function toEventKey(op: Op, event: ProcessorEvent): KeyedRequest {
  const { kind, processorRef, token, amount } = event
  const scope = `card-processor ${op.platform.id} ${kind}`
  if (event.kind === 'authorization') {
    const requestHash = hashRequest([processorRef, amount, event.currency])
    return { scope, key: token, requestHash, conflict: () => createEventConflictError('token') }
  }
  const key = toCanonicalJson([token, event.eventId])
  return {
    scope,
    key,
    requestHash: hashRequest([processorRef, amount]),
    conflict: () => createEventConflictError('eventId'),
  }
}

/**
 * The key of the final response to an authorization whose approval was late or retried. Whichever stores
 * its response first decides: a retry that repeats the approval, or its cancellation.
 */
export function toFinalResponseKey(op: Op, event: AuthorizationEvent): KeyedRequest {
  const key = toEventKey(op, event)
  return { ...key, scope: `${key.scope} word` }
}

/** Finds the stored response. Throws 409 `PROCESSOR_EVENT_REUSED` if it belongs to another event. */
export async function findEventResponse(
  op: Op,
  key: KeyedRequest,
): Promise<ProcessorEventResponse | undefined> {
  const stored = await findStoredResponse(op, key)
  return stored && (parseJson(stored.body) as ProcessorEventResponse)
}

/** Guard: no response is stored under this key. */
export function storeEventResponse(op: Op, key: KeyedRequest, answer: ProcessorEventResponse): Write {
  return saveResponse(op, key, { status: 200, body: toJson(answer) })
}

export function createEventConflictError(field: 'token' | 'eventId'): ApiError {
  return new ApiError('PROCESSOR_EVENT_REUSED', {
    message: `This ${field} was already used for another event.`,
    details: { field },
  })
}
