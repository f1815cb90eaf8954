import { bytesFromBase64url, readStringMembers, textFromUtf8 } from '../encodings.ts'
import { type KeyPair, type PublicKey, signMessage, verifySignature } from '../p256.ts'

const TOKEN_CHARACTERS_MAX = 4096
const HEADER = Buffer.from('{"alg":"ES256","typ":"JWT"}', 'utf8').toString('base64url')
const SIGNATURE_BYTES = 64
const MILLISECONDS = /^(?:0|[1-9][0-9]{0,15})$/
const CLAIMS = ['id', 'verification_type', 'contact', 'organization_id', 'public_key', 'exp'] as const

/** The claims of an OTP verification token (formats 6). */
export interface OtpTokenClaims {
  readonly id: string
  readonly verificationType: string
  /** The email address or E.164 number to which the code was sent. */
  readonly contact: string
  readonly organizationId: string
  /**
   * The key sealed in the bundle, as 66 lower-case hex characters (compressed). The stamp must have
   * the same key.
   */
  readonly publicKey: string
  /** In milliseconds since 1970; a string on the wire. */
  readonly expiresAtMs: number
}

export type OtpTokenFailure = 'MALFORMED' | 'BAD_SIGNATURE' | 'EXPIRED'

/**
 * Creates the verification token for the `payloadToSign` of an OTP verify call (specification 4.5): a compact
 * ES256 JWT signed with the quorum key. Throws RangeError if `expiresAtMs` is not a whole number.
 */
export function signOtpToken(claims: OtpTokenClaims, quorumKey: KeyPair): string {
  if (!Number.isSafeInteger(claims.expiresAtMs) || claims.expiresAtMs < 0) {
    throw new RangeError('expiresAtMs must be whole milliseconds since the epoch')
  }
  const payload = {
    id: claims.id,
    verification_type: claims.verificationType,
    contact: claims.contact,
    organization_id: claims.organizationId,
    public_key: claims.publicKey,
    exp: String(claims.expiresAtMs),
  }
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url')}`
  const signature = signMessage(quorumKey, Buffer.from(signed, 'ascii'), 'ieee-p1363')
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

/**
 * Verifies a token of `signOtpToken` at the time `nowMs` (milliseconds since 1970); it expires at `exp`. The
 * header must be exactly the one that this server writes, so a token cannot choose the algorithm. Never
 * throws.
 */
export function verifyOtpToken(
  token: string,
  quorumPublicKey: PublicKey,
  nowMs: number,
): { claims: OtpTokenClaims } | { failure: OtpTokenFailure } {
  if (token.length > TOKEN_CHARACTERS_MAX) return { failure: 'MALFORMED' }
  const [header, payload, signaturePart, ...rest] = token.split('.')
  if (header !== HEADER || payload === undefined || signaturePart === undefined || rest.length > 0) {
    return { failure: 'MALFORMED' }
  }
  const payloadBytes = bytesFromBase64url(payload)
  const signature = bytesFromBase64url(signaturePart)
  if (payloadBytes === undefined || signature?.length !== SIGNATURE_BYTES) return { failure: 'MALFORMED' }
  const signed = Buffer.from(`${header}.${payload}`, 'ascii')
  if (!verifySignature(quorumPublicKey, signed, signature, 'ieee-p1363')) return { failure: 'BAD_SIGNATURE' }
  const text = textFromUtf8(payloadBytes)
  const members = text === undefined ? undefined : readStringMembers(text, CLAIMS)
  if (members === undefined || !MILLISECONDS.test(members.exp)) return { failure: 'MALFORMED' }
  const expiresAtMs = Number(members.exp)
  if (nowMs >= expiresAtMs) return { failure: 'EXPIRED' }
  return {
    claims: {
      id: members.id,
      verificationType: members.verification_type,
      contact: members.contact,
      organizationId: members.organization_id,
      publicKey: members.public_key,
      expiresAtMs,
    },
  }
}
