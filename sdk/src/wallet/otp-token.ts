import { base64urlFromBytes, bytesFromBase64url, bytesFromText, textFromBytes } from '../crypto/bytes.ts'
import { pointFromHex, verifyRaw } from '../crypto/p256.ts'
import { isObject } from '../json/json.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'

const HEADER = '{"alg":"ES256","typ":"JWT"}'
const SIGNATURE_BYTES = 64

/** The device's own knowledge of its sign-in by code. */
export interface ExpectedOtpToken {
  /** The wallet. */
  readonly accountId: string
  /** The key on this device that was sealed with the code, 66 hex characters. */
  readonly publicKey: string
  /** The server's key, 130 hex characters: see `openEnvelope`. */
  readonly quorumPublicKey: string
  readonly type?: 'EMAIL_OTP' | 'SMS_OTP' | undefined
  /** The current time, in milliseconds since 1970. */
  readonly now: number
}

/**
 * Checks the token to be signed in the second call of a sign-in by code: it is signed by the enclave, for
 * this wallet and this key, and has not expired. Rejects with PayloadMismatchError.
 */
export async function checkOtpToken(token: string, expected: ExpectedOtpToken): Promise<void> {
  const { accountId, publicKey, quorumPublicKey, type, now } = expected
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  const raw = decodeBytes(signature)
  const text = decodeText(body)
  if (
    more.length > 0 ||
    decodeText(header) !== HEADER ||
    text === undefined ||
    raw?.length !== SIGNATURE_BYTES
  )
    throw new PayloadMismatchError('payloadToSign', 'is not the token of a sign-in by code')
  const signer = pointFromHex(quorumPublicKey)
  if (!signer || !(await verifyRaw(signer, bytesFromText(`${header}.${body}`), raw)))
    throw new PayloadMismatchError('payloadToSign', 'is not signed by the pinned quorum key')
  const claims = parseClaims(text)
  requireEqual('organization_id', claims.organization_id, accountId)
  requireEqual('public_key', claims.public_key, publicKey)
  if (type !== undefined) requireEqual('verification_type', claims.verification_type, type)
  const { exp } = claims
  if (typeof exp !== 'string' || !/^\d{1,15}$/.test(exp) || Number(exp) <= now)
    throw new PayloadMismatchError('exp', 'has expired by the clock of this device')
}

function requireEqual(member: string, actual: unknown, expected: string): void {
  if (actual !== expected)
    throw new PayloadMismatchError(member, `is ${String(actual)}, but ${expected} was expected`)
}

/**
 * Parses a token's claims from compact JSON. Rejects any other serialization, such as one with a duplicate
 * claim.
 */
function parseClaims(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Invalid JSON is rejected below.
  }
  if (!isObject(value) || JSON.stringify(value) !== text)
    throw new PayloadMismatchError('payloadToSign', 'has claims that are not a compact JSON object')
  return value
}

function decodeText(base64url: string): string | undefined {
  try {
    const bytes = decodeBytes(base64url)
    return bytes && textFromBytes(bytes)
  } catch {
    return undefined
  }
}

/** Decodes base64url in its canonical form. Undefined for anything else. */
function decodeBytes(base64url: string) {
  try {
    const bytes = bytesFromBase64url(base64url)
    return base64urlFromBytes(bytes) === base64url ? bytes : undefined
  } catch {
    return undefined
  }
}
