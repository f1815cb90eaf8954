import type { CardAuthorizationAnswer, CardMovementAnswer } from '@countersign/contract/cards/card-processor'
import type { Static } from 'typebox'
import type { Write } from '../db/commit/writes.ts'
import { parseJson, toCanonicalJson, toJson } from '../json/json.ts'
import { findKeptAnswer, hashRequest, type KeyedRequest, keepAnswer } from '../kept-answers/kept-answers.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import type { AuthorizationEvent, ProcessorEvent } from '../ports/card-processor.ts'

/** The stored answer to an event of the card processor, so that each event is decided once. */

export type AuthorizationAnswer = Static<typeof CardAuthorizationAnswer>
export type ProcessorAnswer = AuthorizationAnswer | Static<typeof CardMovementAnswer>

export interface Told extends KeyedRequest {
  /** The field of the event that identifies it. */
  readonly field: 'token' | 'eventId'
}

/** Where the answer to an event is stored. An authorization is identified by its token, a claim or return by its own id. */
export function toldOf(op: Op, event: ProcessorEvent): Told {
  const { kind, processorRef, token, amount } = event
  const scope = `card-processor ${op.platform.id} ${kind}`
  if (event.kind === 'authorization') {
    const requestHash = hashRequest([processorRef, amount, event.currency])
    return { scope, key: token, requestHash, field: 'token' }
  }
  const key = toCanonicalJson([token, event.eventId])
  return { scope, key, requestHash: hashRequest([processorRef, amount]), field: 'eventId' }
}

/**
 * Where the final answer to a late or repeated approval is stored. The first to write it decides: a retry that repeats
 * the approval, or the take-back.
 */
export function lastWordOf(op: Op, event: AuthorizationEvent): Told {
  const told = toldOf(op, event)
  return { ...told, scope: `${told.scope} word` }
}

/** The answer stored there, if any. Error: 409 `CONFLICT` where it is for another event. */
export async function findTold(op: Op, told: Told): Promise<ProcessorAnswer | undefined> {
  const kept = await findKeptAnswer(op, told, () => usedBefore(told.field))
  return kept && (parseJson(kept.body) as ProcessorAnswer)
}

/** Guard: no answer is stored there. */
export function keepTold(op: Op, told: Told, answer: ProcessorAnswer): Write {
  return keepAnswer(op, told, { status: 200, body: toJson(answer) })
}

export function usedBefore(field: Told['field']): ApiError {
  return new ApiError('CONFLICT', {
    message: `This ${field} was already used for another event.`,
    details: { field },
  })
}
