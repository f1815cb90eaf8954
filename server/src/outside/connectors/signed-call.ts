import {
  CONNECTOR_STATEMENT_BYTES_MAX,
  CONNECTOR_VERSION,
  CONNECTOR_VERSION_HEADER,
  callSigningId,
} from '@countersign/contract/connectors/protocol'
import { isObject } from '@countersign/contract/core/decode'
import { jsonFromUtf8 } from '../../base/crypto/encodings.ts'
import { buildStandardHeaders } from '../../base/crypto/standard-webhooks.ts'
import { NoResponse } from '../../base/http-client/answer.ts'
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
export type ConnectorResponse =
  | { readonly status: number; readonly body: unknown; readonly why?: undefined }
  | { readonly status?: undefined; readonly body?: undefined; readonly why: string }

/**
 * Makes one signed call. If the call creates something, `id` is the id in its body and also the idempotency
 * key. Does not throw if the connector is unreachable.
 */
export async function callConnector(
  { url, secrets, timeoutMs, span }: Connector,
  method: 'GET' | 'POST',
  path: string,
  now: Date,
  body?: object,
  id?: string,
): Promise<ConnectorResponse> {
  const bytes = Buffer.from(body === undefined ? '' : toJson(body))
  const headers = {
    'User-Agent': 'Countersign-Rails/1',
    Accept: 'application/json',
    [CONNECTOR_VERSION_HEADER]: CONNECTOR_VERSION,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...(id === undefined ? {} : { 'Idempotency-Key': id }),
    ...span?.(),
    ...buildStandardHeaders(secrets, callSigningId(method, path, id), bytes, now),
  }
  const outgoing = { method, url: `${url}${path}`, headers, ...(body === undefined ? {} : { body: bytes }) }
  try {
    const bounds = { ...PAYMENT_SERVICE, timeoutMs, bytesMax: CONNECTOR_STATEMENT_BYTES_MAX }
    const response = await send(outgoing, bounds)
    if (!response.isComplete)
      return { why: `The response has more than ${CONNECTOR_STATEMENT_BYTES_MAX} bytes` }
    return { status: response.status, body: toStorable(jsonFromUtf8(response.body)) }
  } catch (error) {
    if (error instanceof NoResponse) return { why: `The connector cannot be reached: ${error.code}` }
    throw error
  }
}

/**
 * Replaces characters that the database cannot store, so that one bad character does not lose a statement.
 */
function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\u0000', '\ufffd')
  if (Array.isArray(value)) return value.map(toStorable)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, toStorable(property)]))
}
