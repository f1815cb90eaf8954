import type { EventEnvelope } from '@countersign/contract/events/events'
import type { Static } from 'typebox'
import { type Answer, NoAnswer, send } from '../../base/http-client/send.ts'
import { parseJson, parseJsonObject, toJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { runInSpan } from '../../kernel/operation/spans.ts'
import type { NewSpan, OpenSpan } from '../../kernel/ports/tracing.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import { buildSignatureHeaders } from './signature.ts'

/** The result of one attempt to deliver an event: a response, or the error that prevented one. */
export interface Attempt {
  readonly url: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly answer?: Answer
  readonly error?: string
}

/** The body of a delivery: the event, the same at every attempt. */
export type DeliveryBody = Pick<EventRow, 'id' | 'type' | 'object_id' | 'sequence' | 'created_at'> & {
  /** Null: the receiver gets no data. */
  readonly data: string | null
  /** The trace that it continues. */
  readonly traceparent?: string | null
}

const TIMEOUT_MS = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
const RECORDED_BYTES_MAX = 1024

/** A receiver's address, and the secrets that sign its deliveries. */
export interface Endpoint {
  readonly url: string
  /** Their bytes, the current one first. */
  readonly secrets: readonly Uint8Array[]
}

/** Sends an event to the platform, once. In production only to addresses of the public internet. */
export async function attempt(
  op: Op,
  event: DeliveryBody,
  { url, secrets }: Endpoint,
  startedAt = op.now,
): Promise<Attempt> {
  if (secrets.length === 0) throw new Error('The platform has no webhook secret')
  const body = Buffer.from(bodyOf(op, event))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Countersign-Webhooks/1',
    ...(await buildSignatureHeaders(op, event.id, body, secrets)),
  }
  const startedMs = performance.now()
  const outcome = await inTrace(op, event, async (span) => {
    const traceparent = op.tracing?.context()?.traceparent
    const outcome = await post(op, url, { ...headers, ...(traceparent ? { traceparent } : {}) }, body)
    if (span) say(span, outcome)
    const result = 'error' in outcome ? { error: outcome.error } : { status: outcome.answer.status }
    const traceId = op.tracing?.traceId()
    op.log.debug({ event: event.id, type: event.type, ...result, traceId }, 'webhook tried')
    return outcome
  })
  op.metrics.webhookAttempt('answer' in outcome ? outcome.answer.status : outcome.error)
  return { url, startedAt, durationMs: Math.round(performance.now() - startedMs), ...outcome }
}

/** Does work as a span of the event's trace, or of the current trace if the event has no trace. */
function inTrace<T>(op: Op, event: DeliveryBody, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  const { traceparent } = event
  if (!op.tracing || !traceparent) return runInSpan(op, spanOf(event), work)
  return op.tracing.runBelow({ traceparent }, spanOf(event), work)
}

/** A response, or the code of the error that prevented it. */
type PostOutcome = { readonly answer: Answer } | { readonly error: string }

async function post(
  op: Op,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<PostOutcome> {
  try {
    const answer = await send(
      { method: 'POST', url, headers, body },
      {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        bytesMax: ANSWER_BYTES_MAX,
        reach: op.mode === 'production' ? 'public' : 'any',
        isRepeatable: true,
        // A platform whose endpoint hangs must not use up the connections of others at the same host.
        owner: op.platform.id,
      },
    )
    return { answer }
  } catch (error) {
    if (error instanceof NoAnswer) return { error: error.code }
    throw error
  }
}

/** The address is the platform's, and may contain one of its secrets. */
function spanOf({ id, type }: DeliveryBody): NewSpan {
  const attributes = {
    'http.request.method': 'POST',
    'countersign.event.type': type,
    'countersign.event.id': id,
  }
  return { name: 'POST webhook', kind: 'client', attributes }
}

function say(span: OpenSpan, outcome: PostOutcome): void {
  if ('error' in outcome) {
    span.markFailed(outcome.error)
    return
  }
  const { status } = outcome.answer
  span.note({ 'http.response.status_code': status })
  if (status >= 400) span.markFailed(String(status))
}

/**
 * The JSON of an event. Its data is already JSON and is included unchanged, unless this server renames
 * fields.
 */
function bodyOf({ wire }: Op, event: DeliveryBody): string {
  if (!wire.isDefault || !hasData(event)) return toJson(wire.outward(envelope(event)))
  return `${toJson(headOf(event)).slice(0, -1)},"data":${event.data}}`
}

/** An event as delivered and as the API shows it. */
export function envelope(event: DeliveryBody): Static<typeof EventEnvelope> {
  return { ...headOf(event), ...(hasData(event) ? { data: parseJsonObject(event.data) } : {}) }
}

function headOf({ id, type, created_at, object_id, sequence }: DeliveryBody) {
  return { id, type, timestamp: created_at.toISOString(), objectId: object_id, sequence }
}

function hasData(event: DeliveryBody): event is DeliveryBody & { readonly data: string } {
  return event.type !== 'TEST' && event.data !== null
}

/** 409 means that the event was already received. */
export function isReceived(status: number): boolean {
  return (status >= 200 && status < 300) || status === 409
}

/** An attempt whose response the sandbox has lost: the event arrives again. */
export function loseAnswer({ url, startedAt, durationMs }: Attempt): Attempt {
  return { url, startedAt, durationMs, error: 'SANDBOX_FAULT' }
}

/** The beginning of a response, as recorded; null if there was no response. */
export function clipAnswer({ answer }: Attempt): string | null {
  return answer ? textOf(answer.body.subarray(0, RECORDED_BYTES_MAX)) : null
}

/** A response's JSON; undefined if it is not JSON or exceeds the read limit. */
export function jsonOf({ body, isWhole }: Answer): unknown {
  if (!isWhole) return undefined
  try {
    return parseJson(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** A response's bytes as storable text, without a character cut off at the end. */
export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\u0000', '\ufffd')
}
