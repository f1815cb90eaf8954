import { createHmac, timingSafeEqual } from 'node:crypto'

/** The tolerated clock difference (Standard Webhooks 1.0). */
const TOLERANCE_SECONDS = 5 * 60
const PREFIX = 'whsec_'
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

/**
 * The bytes of a secret in the format of Standard Webhooks 1.0, with or without its prefix. Undefined for any
 * other string.
 */
export function parseWebhookSecret(text: string): Uint8Array | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  const bytes = Buffer.from(encoded, 'base64')
  const isExact = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return isExact && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX ? bytes : undefined
}

/** The three headers of Standard Webhooks 1.0, with one signature for each secret. `at` is real time. */
export function buildStandardHeaders(
  secrets: readonly Uint8Array[],
  id: string,
  body: Uint8Array,
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(
    (secret) => `v1,${computeMac(secret, id, timestamp, body).toString('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** True if one of the secrets signed exactly this body, at most five minutes from `now`, in real time. */
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
  const presentedSignatures = (headers['webhook-signature'] ?? '').split(' ').flatMap((entry) => {
    const [version, signature = ''] = entry.split(',')
    return version === 'v1' ? [Buffer.from(signature, 'base64')] : []
  })
  return secrets.some((secret) => {
    const expected = computeMac(secret, id, timestamp, body)
    return presentedSignatures.some(
      (presented) => presented.length === expected.length && timingSafeEqual(presented, expected),
    )
  })
}

function computeMac(secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
}
