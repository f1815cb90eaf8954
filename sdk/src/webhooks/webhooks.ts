import { type Bytes, bytesFromBase64, bytesFromText, concatBytes } from '../crypto/bytes.ts'
import { pointFromHex, verify } from '../crypto/p256.ts'
import { getWebCrypto } from '../crypto/port.ts'
import type { WebhookBodies } from '../generated/types.ts'
import { WEBHOOK_SHAPES } from '../generated/webhooks.ts'
import { createWireSpelling } from '../generated/wire-word.ts'
import { decode } from '../json/decode.ts'
import { isObject, parseJson } from '../json/json.ts'
import { systemClock } from '../time/system-clock.ts'

/**
 * The request did not come from this server, or its timestamp is too old or in the future. `message` has the
 * reason, but never the expected value.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/** An event of any type. `type` determines its fields. */
export type WebhookEvent = WebhookBodies[keyof WebhookBodies]

/** Request headers with names in any case: a `Headers` object or Node's headers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  /** The body exactly as received. If it is parsed and reserialized, the signature no longer matches. */
  readonly payload: string | Uint8Array
  readonly headers: WebhookHeaders
  /** `whsec_…` from `GET /webhook-secrets`. During a rotation, pass both the old and the new secret. */
  readonly secret: string | readonly string[]
  /** The maximum difference between the sender's clock and this machine's, in seconds. Default: 300. */
  readonly toleranceSeconds?: number
  /** The current time. Default: the system clock. */
  readonly now?: Date
  /** See `ClientOptions.wireWord`. */
  readonly wireWord?: string
}

const TOLERANCE_SECONDS = 300
const RAW_BODY =
  'The raw body is needed, byte for byte as received: JSON that was parsed and reserialized does not match. With Express, use express.raw({ type: "application/json" }) for this route.'
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

/**
 * Verifies a webhook's signature (Standard Webhooks) and age, and returns the event with amounts as `bigint`.
 * Throws WebhookVerificationError. An event may be delivered more than once, so deduplicate by `id`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const id = requireHeader(request.headers, 'webhook-id')
  const timestamp = requireHeader(request.headers, 'webhook-timestamp')
  const signatures = requireHeader(request.headers, 'webhook-signature').split(' ')
  checkAge(timestamp, request)
  const payload = toBytes(request.payload)
  const signed = concatBytes(bytesFromText(`${id}.${timestamp}.`), payload)
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret
  for (const secret of secrets) {
    const key = await getWebCrypto().subtle.importKey('raw', decodeSecret(secret), HMAC, false, ['verify'])
    for (const text of signatures) {
      const signature = text.startsWith('v1,') ? bytesFromBase64(text.slice(3)) : undefined
      // Web Crypto compares in constant time.
      if (signature && (await getWebCrypto().subtle.verify(HMAC, key, signature, signed)))
        return parseEvent(payload, request.wireWord)
    }
  }
  throw new WebhookVerificationError(`No signature matches the secret. ${RAW_BODY}`)
}

/**
 * Verifies a webhook's `X-Svc-Signature`, `{"v":"1","s":…}`, with the server's public key: `webhookPublicKey`
 * from `/.well-known/countersign.json`, 130 hex characters. Needs no secret. Proves the sender, but not the
 * time of sending; returns the event, or throws WebhookVerificationError.
 */
export async function verifySvcSignature(
  payload: string | Uint8Array,
  header: string,
  publicKey: string,
  { wireWord }: Pick<WebhookRequest, 'wireWord'> = {},
): Promise<WebhookEvent> {
  const point = pointFromHex(publicKey)
  if (!point) throw new TypeError('publicKey is not a webhookPublicKey: 130 hex characters.')
  const { v, s } = parseMembers(header)
  const der = v === '1' && typeof s === 'string' ? bytesFromBase64(s) : undefined
  if (!der)
    throw new WebhookVerificationError(
      `${createWireSpelling(wireWord).webhookSignatureHeader} cannot be read.`,
    )
  const bytes = toBytes(payload)
  if (!(await verify(point, bytes, der)))
    throw new WebhookVerificationError(`The signature does not match publicKey. ${RAW_BODY}`)
  return parseEvent(bytes, wireWord)
}

function checkAge(timestamp: string, { toleranceSeconds = TOLERANCE_SECONDS, now }: WebhookRequest): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp cannot be read.')
  const age = (now?.getTime() ?? systemClock()) / 1000 - Number(timestamp)
  if (age > toleranceSeconds) throw new WebhookVerificationError('The request is too old.')
  if (age < -toleranceSeconds) throw new WebhookVerificationError('The request is from the future.')
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing.`)
  return value
}

function findHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const headerName = Object.keys(headers).find((key) => key.toLowerCase() === name)
  const value = headerName === undefined ? undefined : headers[headerName]
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function decodeSecret(secret: string): Bytes {
  const [, base64] = SECRET.exec(secret) ?? []
  const bytes = base64 === undefined ? undefined : bytesFromBase64(base64)
  if (!bytes) throw new TypeError('secret is not a webhook secret: whsec_ and base64.')
  return bytes
}

/** Throws TypeError for a parsed body, which a JavaScript program may pass by mistake. */
function toBytes(payload: unknown): Bytes {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array))
    throw new TypeError(`payload is not the raw body. ${RAW_BODY}`)
  // Copied, so that the bytes cannot change between verification and parsing.
  return typeof payload === 'string' ? bytesFromText(payload) : concatBytes(payload)
}

/**
 * Parses a verified body, whose structure can therefore be trusted. Event types newer than this library are
 * returned without conversion.
 */
function parseEvent(payload: Bytes, wireWord: string | undefined): WebhookEvent {
  const event = createWireSpelling(wireWord).inward(parseJson(new TextDecoder().decode(payload)))
  const type = isObject(event) ? event.type : undefined
  return decode(WEBHOOK_SHAPES[String(type)], event) as WebhookEvent
}

function parseMembers(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
