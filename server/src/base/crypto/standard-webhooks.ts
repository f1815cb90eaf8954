import { createHmac, timingSafeEqual } from 'node:crypto'

/** Tolerated clock difference (Standard Webhooks 1.0). */
const TOLERANCE_SECONDS = 5 * 60
const PREFIX = 'whsec_'
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

/**
 * The bytes of a secret in the format of Standard Webhooks 1.0, with or without its prefix; undefined for
 * other strings.
 */
export function secretOfText(text: string): Uint8Array | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  const bytes = Buffer.from(encoded, 'base64')
  const isExact = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return isExact && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX ? bytes : undefined
}

/** The three headers of Standard Webhooks 1.0, with a signature by each secret. `at` is real time. */
export function standardHeaders(
  secrets: readonly Uint8Array[],
  id: string,
  body: Uint8Array,
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => `v1,${macOf(secret, id, timestamp, body).toString('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** True if one of the secrets signed exactly this body, at most five minutes from the real time `now`. */
export function isStandardSigned(
  secrets: readonly Uint8Array[],
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  now: Date,
): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  const awayMs = Math.abs(now.getTime() - Number(timestamp) * 1000)
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || awayMs > TOLERANCE_SECONDS * 1000) return false
  const presentedSignatures = (headers['webhook-signature'] ?? '').split(' ').flatMap((one) => {
    const [version, signature = ''] = one.split(',')
    return version === 'v1' ? [Buffer.from(signature, 'base64')] : []
  })
  return secrets.some((secret) => {
    const expected = macOf(secret, id, timestamp, body)
    return presentedSignatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
  })
}

function macOf(secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
}
