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
  /** The key of this device sealed with the code, 66 hex characters. */
  readonly publicKey: string
  /** The server's key, 130 hex characters: see `openEnvelope`. */
  readonly quorumPublicKey: string
  readonly type?: 'EMAIL_OTP' | 'SMS_OTP' | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Checks the token that a sign-in by code signs in its second call: the enclave signed it, for this wallet
 * and this key, and it has not expired. Rejects with PayloadMismatchError.
 */
export async function checkOtpToken(token: string, expected: ExpectedOtpToken): Promise<void> {
  const { accountId, publicKey, quorumPublicKey, type, now } = expected
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  const raw = bytesOf(signature)
  const text = textOf(body)
  if (more.length > 0 || textOf(header) !== HEADER || text === undefined || raw?.length !== SIGNATURE_BYTES)
    throw new PayloadMismatchError('payloadToSign', 'is not the token of a sign-in by code')
  const signer = pointFromHex(quorumPublicKey)
  if (!signer || !(await verifyRaw(signer, bytesFromText(`${header}.${body}`), raw)))
    throw new PayloadMismatchError('payloadToSign', 'is not signed by the pinned quorum key')
  const claims = claimsOf(text)
  hold('organization_id', claims.organization_id, accountId)
  hold('public_key', claims.public_key, publicKey)
  if (type !== undefined) hold('verification_type', claims.verification_type, type)
  const { exp } = claims
  if (typeof exp !== 'string' || !/^\d{1,15}$/.test(exp) || Number(exp) <= now)
    throw new PayloadMismatchError('exp', 'has expired by the clock of this device')
}

function hold(member: string, found: unknown, expected: string): void {
  if (found !== expected)
    throw new PayloadMismatchError(member, `is ${String(found)}, but ${expected} was expected`)
}

/**
 * The claims of a token in canonical JSON. A text with another spelling, such as a duplicate claim, is
 * refused.
 */
function claimsOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON. The check below refuses it.
  }
  if (!isObject(value) || JSON.stringify(value) !== text)
    throw new PayloadMismatchError('payloadToSign', 'has claims that are not compact JSON of an object')
  return value
}

function textOf(base64url: string): string | undefined {
  try {
    const bytes = bytesOf(base64url)
    return bytes && textFromBytes(bytes)
  } catch {
    return undefined
  }
}

/** Bytes of canonical base64url. */
function bytesOf(base64url: string) {
  try {
    const bytes = bytesFromBase64url(base64url)
    return base64urlFromBytes(bytes) === base64url ? bytes : undefined
  } catch {
    return undefined
  }
}
