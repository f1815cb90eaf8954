import type { EventEnvelope } from '@countersign/contract/events/events'
import type { Static } from 'typebox'
import type { Answer } from '../../base/http-client/answer.ts'
import { parseJson, parseJsonObject, toJson } from '../../base/json/json.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { EventRow } from '../../storage/rows/event.ts'
import { type DeliverySpan, startDeliverySpan } from './delivery-spans.ts'
import { type SendSeries, type SeriesOutcome, type SignedRequest, sendSeries } from './request-series.ts'
import { buildSignatureHeaders } from './signature.ts'

/** The result of one attempt to deliver an event: a response, or the error that prevented one. */
export interface Attempt {
  readonly url: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly response?: Answer
  readonly error?: string
}

/** The content of a delivery. It is the same at every attempt. */
export type DeliveryBody = Pick<EventRow, 'id' | 'type' | 'object_id' | 'sequence' | 'created_at'> & {
  /** Null if the receiver gets no data. */
  readonly data: string | null
  /** The trace that the delivery continues. */
  readonly traceparent?: string | null
}

const RECORDED_BYTES_MAX = 1024

/** A receiver's URL, and the secrets that sign its deliveries. */
export interface Endpoint {
  readonly url: string
  /** The bytes of each secret, the current one first. */
  readonly secrets: readonly Uint8Array[]
}

/** Makes a single attempt to send an event. Production allows only addresses on the public internet. */
export async function attemptDelivery(op: Op, event: DeliveryBody, endpoint: Endpoint): Promise<Attempt> {
  const startedMs = performance.now()
  const [attempted] = await attemptDeliveries(op, [event], endpoint, sendSeries)
  const durationMs = Math.round(performance.now() - startedMs)
  return attempted ?? { url: endpoint.url, startedAt: op.now, durationMs, error: 'TIMEOUT' }
}

/**
 * Sends events in sequence, each after the previous one was received. Returns the attempts that were made;
 * none if no connection became free in time.
 */
export async function attemptDeliveries(
  op: Op,
  events: readonly [DeliveryBody, ...DeliveryBody[]],
  { url, secrets }: Endpoint,
  sendSeries: SendSeries,
): Promise<Attempt[]> {
  if (secrets.length === 0) throw new Error('The platform has no webhook secret')
  const signed = await Promise.all(events.map((event) => sign(op, event, secrets)))
  const deliveries = events.map((event) => ({ event, span: startDeliverySpan(op, event) }))
  const requests = signed.map(({ headers, body }, n) => ({
    headers: { ...headers, ...deliveries[n]?.span.headers },
    body,
  }))
  const reach = op.mode === 'production' ? 'public' : 'any'
  // A hanging endpoint of one platform must not use up the connections of other platforms to the same host.
  const sending = sendSeries({ url, reach, owner: op.platform.id, requests })
  const outcomes = await sending.catch((error: unknown) => {
    deliveries[0]?.span.fail()
    throw error
  })
  for (const [n, delivery] of deliveries.entries()) {
    const outcome = outcomes[n]
    if (outcome) recordOutcome(op, delivery, outcome)
  }
  return outcomes.map(({ startedAfterMs, durationMs, ...outcome }) => ({
    url,
    startedAt: new Date(op.now.getTime() + Math.round(startedAfterMs)),
    durationMs: Math.round(durationMs),
    ...outcome,
  }))
}

async function sign(op: Op, event: DeliveryBody, secrets: readonly Uint8Array[]): Promise<SignedRequest> {
  const body = buildBody(op, event)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Countersign-Webhooks/1',
    ...(await buildSignatureHeaders(op, event.id, Buffer.from(body), secrets)),
  }
  return { headers, body }
}

/** A delivery of a series, and its span. */
interface TracedDelivery {
  readonly event: DeliveryBody
  readonly span: DeliverySpan
}

function recordOutcome(op: Op, { event, span }: TracedDelivery, outcome: SeriesOutcome): void {
  span.end(outcome)
  const { id, type } = event
  const result = 'error' in outcome ? { error: outcome.error } : { status: outcome.response.status }
  op.log.debug({ event: id, type, ...result, traceId: span.traceId }, 'attempted webhook delivery')
  op.metrics.webhookAttempt('response' in outcome ? outcome.response.status : outcome.error)
}

/**
 * Builds the JSON of an event. Its data is already JSON and is included unchanged, unless this server renames
 * fields.
 */
function buildBody({ wire }: Op, event: DeliveryBody): string {
  if (!wire.isDefault || !hasData(event)) return toJson(wire.outward(toEnvelope(event)))
  return `${toJson(buildHead(event)).slice(0, -1)},"data":${event.data}}`
}

/** Converts an event to the envelope in which webhooks and the API show it. */
export function toEnvelope(event: DeliveryBody): Static<typeof EventEnvelope> {
  return { ...buildHead(event), ...(hasData(event) ? { data: parseJsonObject(event.data) } : {}) }
}

function buildHead({ id, type, created_at, object_id, sequence }: DeliveryBody) {
  return { id, type, timestamp: created_at.toISOString(), objectId: object_id, sequence }
}

function hasData(event: DeliveryBody): event is DeliveryBody & { readonly data: string } {
  return event.type !== 'TEST' && event.data !== null
}

/** Simulates a lost response in the sandbox, so that the event is sent again. */
export function loseResponse({ url, startedAt, durationMs }: Attempt): Attempt {
  return { url, startedAt, durationMs, error: 'SANDBOX_FAULT' }
}

/** Returns the beginning of a response for the record, or null if there was no response. */
export function clipResponse({ response }: Attempt): string | null {
  return response ? toStorableText(response.body.subarray(0, RECORDED_BYTES_MAX)) : null
}

/** Parses a response as JSON. Undefined if it is not JSON or exceeds the read limit. */
export function parseResponseJson({ body, isComplete }: Answer): unknown {
  if (!isComplete) return undefined
  try {
    return parseJson(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** Decodes a response into text that the database can store, without a character cut off at the end. */
export function toStorableText(body: Uint8Array): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\u0000', '\ufffd')
}
