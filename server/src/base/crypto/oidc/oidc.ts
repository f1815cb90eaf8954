import { createHash } from 'node:crypto'
import { compactVerify } from 'jose'
import { bytesFromBase64url, textFromUtf8 } from '../encodings.ts'
import { readJsonObject } from '../json-object.ts'
import { type KeySet, SIGNATURE_ALGORITHMS, selectKey } from './jwks.ts'

export const GOOGLE_ISSUER = 'https://accounts.google.com'
export const APPLE_ISSUER = 'https://appleid.apple.com'

/**
 * Google documents both spellings for its tokens. They are the same issuer, and therefore the same identity.
 */
const ISSUER_SPELLINGS: ReadonlyMap<string, string> = new Map([['accounts.google.com', GOOGLE_ISSUER]])

const TOKEN_CHARACTERS_MAX = 16 * 1024
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/
/** A token of another kind must not be accepted as an ID token (RFC 8725 section 3.11). */
const JWT_TYPE = /^(?:application\/)?jwt$/i
const SUBJECT_CHARACTERS_MAX = 255
const AUDIENCE_CHARACTERS_MAX = 1024
const EMAIL_CHARACTERS_MAX = 320

/** The checks that an ID token can fail, with messages for the caller. */
export const OIDC_REASONS = {
  issuer: 'ID token issuer is not supported',
  audience: 'ID token audience is not allowed',
  subject: 'ID token has no subject',
  issuedAt: 'ID token was not issued within the last minute',
  expired: 'ID token has expired',
  notBefore: 'ID token is not valid yet',
  nonce: 'ID token nonce does not match the client public key',
  signature: 'Invalid ID token signature',
  unknownKey: 'ID token is signed with an unknown key',
  keysUnavailable: 'Keys of the ID token issuer are not available',
} as const

export type OidcFailure = keyof typeof OIDC_REASONS

/** The check that failed, and the message for the response. */
export interface OidcRefusal {
  readonly failure: OidcFailure
  readonly reason: string
}

export interface IdToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

export interface Issuer {
  readonly issuer: string
  /** If absent, any audience is accepted. */
  readonly audiences?: readonly string[]
}

export interface ClaimRules {
  readonly now: Date
  /** The maximum age by `iat`, in seconds. 60 according to specification 5.5 and 8. */
  readonly maxAgeSeconds: number
  /**
   * The tolerated clock difference in both directions: `iat` may be that much older or ahead, and `nbf` ahead
   * (specification 5.5, 8).
   */
  readonly skewSeconds: number
  readonly issuers: readonly Issuer[]
  /** On verify, `computeNonce(clientPublicKey)`. If absent, the token's nonce is not checked. */
  readonly nonce?: string
}

/** The subject of a token. A credential stores the first three fields as its identity (specification 5.5). */
export interface Identity {
  /** The spelling in the configuration, even if the token uses another one. */
  readonly issuer: string
  readonly audience: string
  readonly subject: string
  readonly email?: string
  /** When the token stops being valid. Until then it must be remembered as used. */
  readonly usableUntil: Date
}

export function refuse(failure: OidcFailure): OidcRefusal {
  return { failure, reason: OIDC_REASONS[failure] }
}

/**
 * The nonce for a verify call: the lower-case hex SHA-256 of the characters of `clientPublicKey` as sent
 * (formats 7).
 */
export function computeNonce(clientPublicKey: string): string {
  return createHash('sha256').update(clientPublicKey, 'utf8').digest('hex')
}

/**
 * Identifies a used token by the lower-case hex SHA-256 of its signed part. The whole token would not do: an
 * ECDSA signature can be rewritten, while the signed part has just one form.
 */
export function computeTokenFingerprint(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')), 'utf8')
    .digest('hex')
}

/**
 * Parses a token in JWT form (specification 5.5) of at most 16 KiB. Header and claims must be canonical
 * base64url of a JSON object without duplicate names or U+0000, and `alg` must be a string. The signature is
 * only checked to be base64url, and may be empty, because the sandbox does not check signatures. Never
 * throws; undefined means 400 `INVALID_INPUT`.
 */
export function readIdToken(token: string): IdToken | undefined {
  const parts = splitToken(token)
  if (parts === undefined) return undefined
  const header = readPart(parts.header)
  const claims = readPart(parts.payload)
  return header && claims && typeof header.alg === 'string' ? { header, claims } : undefined
}

/**
 * Checks `nbf` and the claims of specification 5.5: `iss` (must be listed), `aud` (see `findAudience`),
 * `sub`, `iat` (at most `maxAgeSeconds` plus the skew ago, inclusive), `exp` (later than now) and `nonce`.
 * The caller must compare the identity with the credential's. Never throws.
 */
export function checkClaims(claims: IdToken['claims'], rules: ClaimRules): Identity | OidcRefusal {
  const { iss, sub, iat, exp, nbf } = claims
  const issuerName = typeof iss === 'string' ? (ISSUER_SPELLINGS.get(iss) ?? iss) : undefined
  const issuer = rules.issuers.find((candidate) => candidate.issuer === issuerName)
  if (issuer === undefined) return refuse('issuer')

  const audience = findAudience(claims, issuer)
  if (audience === undefined) return refuse('audience')
  if (!isText(sub, SUBJECT_CHARACTERS_MAX)) return refuse('subject')

  const nowSeconds = rules.now.getTime() / 1000
  if (!isNumber(iat)) return refuse('issuedAt')
  if (iat > nowSeconds + rules.skewSeconds || nowSeconds - iat > rules.maxAgeSeconds + rules.skewSeconds)
    return refuse('issuedAt')
  if (!isNumber(exp) || exp <= nowSeconds) return refuse('expired')
  if (nbf !== undefined && !(isNumber(nbf) && nbf <= nowSeconds + rules.skewSeconds))
    return refuse('notBefore')
  if (rules.nonce !== undefined && claims.nonce !== rules.nonce) return refuse('nonce')

  const oldestAt = iat + rules.maxAgeSeconds + rules.skewSeconds
  const usableUntil = new Date(Math.ceil(Math.min(exp, oldestAt) * 1000))
  const email = isText(claims.email, EMAIL_CHARACTERS_MAX) ? { email: claims.email } : {}
  return { issuer: issuer.issuer, audience, subject: sub, ...email, usableUntil }
}

const AUDIENCES_MAX = 64

/**
 * The audience of a token: a string, or the only item of a list; if the issuer has configured audiences, it
 * must be one of them. Of several audiences it is the one in `azp`, which must be configured (OpenID Connect
 * Core 3.1.3.7: Keycloak and Zitadel also list resource servers). Undefined for all other tokens.
 */
function findAudience({ aud, azp }: IdToken['claims'], { audiences }: Issuer): string | undefined {
  const audienceList: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (
    audienceList.length > AUDIENCES_MAX ||
    !audienceList.every((item) => isText(item, AUDIENCE_CHARACTERS_MAX))
  )
    return undefined
  const audience: unknown = audienceList.length === 1 ? audienceList[0] : azp
  if (!isText(audience, AUDIENCE_CHARACTERS_MAX) || !audienceList.includes(audience)) return undefined
  const isAllowed = audiences === undefined ? audienceList.length === 1 : audiences.includes(audience)
  return isAllowed ? audience : undefined
}

/**
 * Verifies the signature of a token with its issuer's keys; the algorithm is determined by the key's `alg`,
 * or its type and curve. Rejects `none`, HMAC, `crit`, and a `typ` other than JWT; ignores keys and URLs in
 * the header. `unknownKey` means that no key, or more than one, fits the header's `kid` and `alg`, so newer
 * keys may help; never throws.
 */
export async function verifyIdTokenSignature(
  token: string,
  keys: KeySet,
): Promise<{ readonly verified: true } | OidcRefusal> {
  const parts = splitToken(token)
  const header = parts && readPart(parts.header)
  if (!parts || !header || !bytesFromBase64url(parts.signature)) return refuse('signature')
  if (parts.payload !== '' && !bytesFromBase64url(parts.payload)) return refuse('signature')
  const { alg, kid, typ } = header
  if (typeof alg !== 'string' || !SIGNATURE_ALGORITHMS.includes(alg)) return refuse('signature')
  if (kid !== undefined && typeof kid !== 'string') return refuse('signature')
  if (typ !== undefined && !(typeof typ === 'string' && JWT_TYPE.test(typ))) return refuse('signature')
  if ('crit' in header) return refuse('signature')
  const key = selectKey(keys, alg, kid)
  if (key === undefined) return refuse('unknownKey')
  try {
    await compactVerify(token, key.jwk, { algorithms: [alg] })
    return { verified: true }
  } catch {
    return refuse('signature')
  }
}

/** Splits a string in the form of a compact JWS into its three parts. The last two may be empty. */
export function splitToken(
  token: string,
): { header: string; payload: string; signature: string } | undefined {
  if (token.length > TOKEN_CHARACTERS_MAX) return undefined
  const [, header, payload, signature] = TOKEN.exec(token) ?? []
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  return { header, payload, signature }
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = bytesFromBase64url(part)
  const text = bytes && textFromUtf8(bytes)
  return text === undefined ? undefined : readJsonObject(text)
}

function isText(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charactersMax
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
