import {
  CONNECTOR_STATEMENT_BYTES_MAX,
  CONNECTOR_VERSION,
  CONNECTOR_VERSION_HEADER,
  callSigningId,
} from '@countersign/contract/connectors/protocol'
import { isObject } from '@countersign/contract/core/decode'
import { jsonFromUtf8 } from '../../base/crypto/encodings.ts'
import { standardHeaders } from '../../base/crypto/standard-webhooks.ts'
import { NoAnswer } from '../../base/http-client/answer.ts'
import { PAYMENT_SERVICE, send } from '../../base/http-client/send.ts'
import { toJson } from '../../base/json/json.ts'
import type { TraceContext } from '../../kernel/ports/tracing.ts'

/** A connector's URL and secrets. */
export interface Connector {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** One secret, or two while it is being replaced. */
  readonly secrets: readonly Uint8Array[]
  readonly timeoutMs: number
  /** The parent span of a call, if tracing is on. */
  readonly span?: (() => TraceContext | undefined) | undefined
}

/** A connector's response, or the reason why it did not respond. */
export type Answered =
  | { readonly status: number; readonly body: unknown; readonly why?: undefined }
  | { readonly status?: undefined; readonly body?: undefined; readonly why: string }

/**
 * Makes one signed call. `id` is the id in the body of a call that creates something; it then also is the
 * idempotency key. Does not throw.
 */
export async function callConnector(
  { url, secrets, timeoutMs, span }: Connector,
  method: 'GET' | 'POST',
  path: string,
  now: Date,
  body?: object,
  id?: string,
): Promise<Answered> {
  const bytes = Buffer.from(body === undefined ? '' : toJson(body))
  const headers = {
    'User-Agent': 'Countersign-Rails/1',
    Accept: 'application/json',
    [CONNECTOR_VERSION_HEADER]: CONNECTOR_VERSION,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...(id === undefined ? {} : { 'Idempotency-Key': id }),
    ...span?.(),
    ...standardHeaders(secrets, callSigningId(method, path, id), bytes, now),
  }
  const outgoing = { method, url: `${url}${path}`, headers, ...(body === undefined ? {} : { body: bytes }) }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const bounds = { ...PAYMENT_SERVICE, signal, bytesMax: CONNECTOR_STATEMENT_BYTES_MAX }
    const answer = await send(outgoing, bounds)
    if (!answer.isWhole) return { why: `The response has more than ${CONNECTOR_STATEMENT_BYTES_MAX} bytes` }
    return { status: answer.status, body: toStorable(jsonFromUtf8(answer.body)) }
  } catch (error) {
    if (error instanceof NoAnswer) return { why: `The connector cannot be reached: ${error.code}` }
    throw error
  }
}

/**
 * Removes characters that a database cannot store: a single bad character from a bank must not lose a whole
 * statement.
 */
function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\u0000', '\ufffd')
  if (Array.isArray(value)) return value.map(toStorable)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStorable(one)]))
}
