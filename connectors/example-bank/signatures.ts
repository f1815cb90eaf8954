import { createHmac, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, with one secret or, during a rotation, two. */

const TOLERANCE_SECONDS = 5 * 60

/** Parses one or two secrets, separated by a space (`whsec_… whsec_…`). */
export function parseSecrets(text: string): Buffer[] {
  const secrets = text.split(/[\s,]+/).filter((secret) => secret !== '')
  return secrets.map((secret) => {
    const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    if (bytes.length < 24 || bytes.length > 64)
      throw new Error('The secret is invalid. It must be whsec_ and 24 to 64 bytes in base64.')
    return bytes
  })
}

/** Builds the headers that sign a body, with one signature per secret. */
export function sign(secrets: readonly Buffer[], id: string, body: string | Buffer): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = secrets.map(
    (secret) => `v1,${computeMac(secret, id, timestamp, body).toString('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** True if one of the secrets signed exactly this body and id, at most five minutes ago. */
export function isSigned(
  secrets: readonly Buffer[],
  headers: NodeJS.Dict<string | string[]>,
  body: Buffer,
): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  )
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp) || ageSeconds > TOLERANCE_SECONDS) return false
  const signatureList = signatures!.split(' ').filter((signature) => signature.startsWith('v1,'))
  return secrets.some((secret) => {
    const expected = computeMac(secret, id, timestamp, body)
    return signatureList.some((signature) => {
      const bytes = Buffer.from(signature.slice('v1,'.length), 'base64')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    })
  })
}

function computeMac(secret: Buffer, id: string, timestamp: string, body: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
}
