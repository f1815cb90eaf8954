import { Type } from 'typebox'
import { type Endpoint, isStream } from '../core/endpoint.ts'
import { Opaque, Tag } from '../core/schema.ts'
import { WALLET_SIGNATURE_HEADER } from '../core/wire-word.ts'
import { LAST_EVENT_ID } from '../events/event-stream.ts'
import { toExample } from './examples.ts'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  schema: Type.String({ pattern: '^[\\x20-\\x7e]{1,255}$', minLength: 1, maxLength: 255 }),
  description:
    'The same key with the same request returns the first response; with another request it returns 409.',
} as const

const REQUEST_HEADERS = {
  IdempotencyKey: { ...IDEMPOTENCY_KEY, required: false },
  RequiredIdempotencyKey: { ...IDEMPOTENCY_KEY, required: true, example: 'one-key-for-each-request' },
  WalletSignature: {
    name: WALLET_SIGNATURE_HEADER,
    schema: Opaque(2048),
    required: false,
    description: 'Stamp over payloadToSign by the session key of the wallet. Omitted on the first call.',
  },
  RequestId: {
    name: 'Request-Id',
    schema: Opaque(255),
    required: false,
    description: 'The requestId of the challenge that this call completes. Valid once.',
  },
  LastEventId: {
    name: LAST_EVENT_ID,
    schema: Opaque(255),
    required: false,
    description:
      'The id of the last event that arrived, as an EventSource sends it. It has precedence over after.',
  },
  Origin: {
    name: 'Origin',
    // Any string, because calls with a token ignore this header.
    schema: Type.String(),
    required: false,
    description:
      "The address of the server. Required if a call with a member's cookie changes something. Browsers send it.",
  },
} as const

export type SharedHeader = keyof typeof REQUEST_HEADERS

/** The request headers, for the document's components. */
export function requestHeaders(): Readonly<Record<string, unknown>> {
  const entries = Object.entries(REQUEST_HEADERS).map(([name, declaration]) => {
    const { example, ...header } = { example: undefined, ...declaration }
    return [name, { in: 'header', ...header, ...toExample(example) }]
  })
  return Object.fromEntries(entries)
}

const integerSchema = (minimum: number) => Type.Integer({ minimum })

const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const

const RESPONSE_HEADERS = {
  'X-Request-Id': {
    component: 'XRequestId',
    description: 'The id of the request in the logs, or the one that the caller sent',
    schema: Type.String({ minLength: 1, maxLength: 128 }),
  },
  'RateLimit-Limit': {
    component: 'RateLimitLimit',
    description: 'The number of requests that the caller may make in the current period',
    schema: integerSchema(0),
  },
  'RateLimit-Remaining': {
    component: 'RateLimitRemaining',
    description: 'The number of requests left in the current period',
    schema: integerSchema(0),
  },
  'RateLimit-Reset': {
    component: 'RateLimitReset',
    description: 'Seconds until the full number is available again',
    schema: integerSchema(0),
  },
  'Idempotency-Replayed': {
    component: 'IdempotencyReplayed',
    description: 'Present in a replay: the response of the first request with this Idempotency-Key',
    schema: Tag('true'),
  },
  'Retry-After': {
    component: 'RetryAfter',
    description: 'Seconds to wait before the next call',
    schema: integerSchema(1),
  },
  'WWW-Authenticate': {
    component: 'WwwAuthenticate',
    description: 'The type of credentials that the endpoint accepts',
    schema: Type.String(),
  },
  'Content-Disposition': {
    component: 'ContentDisposition',
    description: 'The file name of a response that is a file',
    schema: Type.String(),
  },
} as const

type ResponseHeader = keyof typeof RESPONSE_HEADERS

/** The response headers, for the document's components. */
export function buildResponseHeaders(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.values(RESPONSE_HEADERS).map(({ component, ...header }) => [component, header]),
  )
}

/** The headers that a response of this endpoint may have. */
export function getResponseHeaders(endpoint: Endpoint, status: number): { readonly headers: object } {
  const names: readonly (ResponseHeader | false)[] = [
    'X-Request-Id',
    ...(endpoint.auth === 'public' ? [] : RATE_LIMIT_HEADERS),
    status < 300 && Boolean(endpoint.idempotent) && 'Idempotency-Replayed',
    status === 200 && endpoint.texts !== undefined && !isStream(endpoint) && 'Content-Disposition',
    status === 401 && 'WWW-Authenticate',
    (status === 429 || status === 503) && 'Retry-After',
  ]
  const entries = names
    .filter((name) => name !== false)
    .map((name) => [name, { $ref: `#/components/headers/${RESPONSE_HEADERS[name].component}` }])
  return { headers: Object.fromEntries(entries) }
}
