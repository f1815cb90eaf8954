import { type Bytes, bytesFromBase64, bytesFromText, concatBytes } from '../crypto/bytes.ts'
import { pointFromHex, verify } from '../crypto/p256.ts'
import { webCrypto } from '../crypto/port.ts'
import type { WebhookBodies } from '../generated/types.ts'
import { WEBHOOK_SHAPES } from '../generated/webhooks.ts'
import { wireSpelling } from '../generated/wire-word.ts'
import { decode } from '../json/decode.ts'
import { isObject, parseJson } from '../json/json.ts'
import { systemClock } from '../time/system-clock.ts'

/**
 * The request is not from this server, or too old or too new. `message` has the reason, never the right
 * value.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/** An event of any type. `type` identifies its form. */
export type WebhookEvent = WebhookBodies[keyof WebhookBodies]

/** The headers of a request, with names in any case: a `Headers` object or Node's headers. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  /** The body exactly as received: parsed and printed again, its signature would not match. */
  readonly payload: string | Uint8Array
  readonly headers: WebhookHeaders
  /** `whsec_…` from `GET /webhook-secrets`. Give both while one replaces the other. */
  readonly secret: string | readonly string[]
  /** The allowed difference between the sender's clock and this one, in seconds. Default: 300. */
  readonly toleranceSeconds?: number
  /** The current time. Default: this machine's clock. */
  readonly now?: Date
  /** See `ClientOptions.wireWord`. */
  readonly wireWord?: string
}

const TOLERANCE_SECONDS = 300
const RAW_BODY =
  'The raw body is needed, byte for byte as it was received: JSON that a framework has parsed and that is printed again does not match. With Express, use express.raw({ type: "application/json" }) for this route'
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

/**
 * Checks a webhook's Standard Webhooks signature and age, and returns the event, its amounts as `bigint`. Throws
 * WebhookVerificationError. An event may arrive more than once: remember `id`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const id = headerOf(request.headers, 'webhook-id')
  const timestamp = headerOf(request.headers, 'webhook-timestamp')
  const signatures = headerOf(request.headers, 'webhook-signature').split(' ')
  checkAge(timestamp, request)
  const payload = bytesOf(request.payload)
  const signed = concatBytes(bytesFromText(`${id}.${timestamp}.`), payload)
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret
  for (const secret of secrets) {
    const key = await webCrypto().subtle.importKey('raw', secretBytes(secret), HMAC, false, ['verify'])
    for (const text of signatures) {
      const signature = text.startsWith('v1,') ? bytesFromBase64(text.slice(3)) : undefined
      // Web Crypto compares in constant time.
      if (signature && (await webCrypto().subtle.verify(HMAC, key, signature, signed)))
        return eventOf(payload, request.wireWord)
    }
  }
  throw new WebhookVerificationError(`No signature matches the secret. ${RAW_BODY}`)
}

/**
 * Checks a webhook's `X-Svc-Signature`, `{"v":"1","s":…}`, by the server's public key, the `webhookPublicKey`
 * of `/.well-known/countersign.json`: 130 hex characters. It proves the signer, but not the time, and needs
 * no secret. Returns the event, or throws WebhookVerificationError.
 */
export async function verifySvcSignature(
  payload: string | Uint8Array,
  header: string,
  publicKey: string,
  { wireWord }: Pick<WebhookRequest, 'wireWord'> = {},
): Promise<WebhookEvent> {
  const point = pointFromHex(publicKey)
  if (!point) throw new TypeError('publicKey is not a webhookPublicKey: 130 hex characters')
  const { v, s } = membersOf(header)
  const der = v === '1' && typeof s === 'string' ? bytesFromBase64(s) : undefined
  if (!der)
    throw new WebhookVerificationError(`${wireSpelling(wireWord).webhookSignatureHeader} cannot be read`)
  const bytes = bytesOf(payload)
  if (!(await verify(point, bytes, der)))
    throw new WebhookVerificationError(`The signature does not match publicKey. ${RAW_BODY}`)
  return eventOf(bytes, wireWord)
}

function checkAge(timestamp: string, { toleranceSeconds = TOLERANCE_SECONDS, now }: WebhookRequest): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp cannot be read')
  const age = (now?.getTime() ?? systemClock()) / 1000 - Number(timestamp)
  if (age > toleranceSeconds) throw new WebhookVerificationError('The request is too old')
  if (age < -toleranceSeconds) throw new WebhookVerificationError('The request is from the future')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing`)
  return value
}

function findHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name)
  const value = found === undefined ? undefined : headers[found]
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function secretBytes(secret: string): Bytes {
  const [, base64] = SECRET.exec(secret) ?? []
  const bytes = base64 === undefined ? undefined : bytesFromBase64(base64)
  if (!bytes) throw new TypeError('secret is not a webhook secret: whsec_ and base64')
  return bytes
}

/** JavaScript programs can give a parsed body. Throws TypeError for that. */
function bytesOf(payload: unknown): Bytes {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array))
    throw new TypeError(`payload is not the raw body. ${RAW_BODY}`)
  // Copies the bytes, so that the verified bytes are the ones that are read.
  return typeof payload === 'string' ? bytesFromText(payload) : concatBytes(payload)
}

/**
 * The event of a signed body, whose form is therefore trusted. Types that are newer than this library are
 * returned unchanged.
 */
function eventOf(payload: Bytes, wireWord: string | undefined): WebhookEvent {
  const event = wireSpelling(wireWord).inward(parseJson(new TextDecoder().decode(payload)))
  const type = isObject(event) ? event.type : undefined
  return decode(WEBHOOK_SHAPES[String(type)], event) as WebhookEvent
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
