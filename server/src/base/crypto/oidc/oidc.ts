import { createHash } from 'node:crypto'
import { compactVerify } from 'jose'
import { bytesFromBase64url, textFromUtf8 } from '../encodings.ts'
import { readJsonObject } from '../json-object.ts'
import { type KeySet, SIGNATURE_ALGORITHMS, selectKey } from './jwks.ts'

export const GOOGLE_ISSUER = 'https://accounts.google.com'
export const APPLE_ISSUER = 'https://appleid.apple.com'

/** Google documents that its tokens carry either spelling. Both are one issuer, so one identity. */
const ISSUER_SPELLINGS: ReadonlyMap<string, string> = new Map([['accounts.google.com', GOOGLE_ISSUER]])

const TOKEN_CHARACTERS_MAX = 16 * 1024
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*)$/
/** RFC 8725 section 3.11: a token of another kind must not be accepted as an ID token. */
const JWT_TYPE = /^(?:application\/)?jwt$/i
const SUBJECT_CHARACTERS_MAX = 255
const AUDIENCE_CHARACTERS_MAX = 1024
const EMAIL_CHARACTERS_MAX = 320

/** Every check that an ID token can fail, with the text that a caller may be told. */
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

/** A refusal: the failed check, for the caller, and its text, for the answer. */
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
  /** Left out: every audience is accepted. */
  readonly audiences?: readonly string[]
}

export interface ClaimRules {
  readonly now: Date
  /** The largest age of `iat` in seconds; 60 (specification 5.5, 8). */
  readonly maxAgeSeconds: number
  /** How far the clocks may be apart, in either direction: `iat` may be older or ahead, and `nbf` ahead (specification 5.5, 8). */
  readonly skewSeconds: number
  readonly issuers: readonly Issuer[]
  /** On verify: `nonceOf(clientPublicKey)`. Left out: the token's own is not checked. */
  readonly nonce?: string
}

/** The subject of a token. The first three members are the identity that a credential stores (specification 5.5). */
export interface Identity {
  /** As configured, whichever spelling the token has. */
  readonly issuer: string
  readonly audience: string
  readonly subject: string
  readonly email?: string
  /** The last moment at which the token is valid. It must be remembered as used until then. */
  readonly usableUntil: Date
}

export function refuse(failure: OidcFailure): OidcRefusal {
  return { failure, reason: OIDC_REASONS[failure] }
}

/** The nonce of a verify: lower-case hex SHA-256 of the characters of `clientPublicKey` as sent (formats 7). */
export function nonceOf(clientPublicKey: string): string {
  return createHash('sha256').update(clientPublicKey, 'utf8').digest('hex')
}

/**
 * Identifies a used token: lower-case hex SHA-256 of its signed part. Not of the whole token, because an ECDSA
 * signature can be rewritten, while the signed part has a single spelling.
 */
export function tokenFingerprint(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')), 'utf8')
    .digest('hex')
}

/**
 * Reads a token that is JWT-shaped (specification 5.5): at most 16 KiB; three parts of base64url characters; header and
 * claims canonical base64url, without padding, of a JSON object in UTF-8 that names nothing twice and holds no U+0000;
 * `alg` a string. Of the signature only the characters are checked, and it may be empty, because sandbox checks no
 * signature. Undefined means 400 `INVALID_INPUT`. Never throws.
 */
export function readIdToken(token: string): IdToken | undefined {
  const parts = splitToken(token)
  if (parts === undefined) return undefined
  const header = readPart(parts.header)
  const claims = readPart(parts.payload)
  return header && claims && typeof header.alg === 'string' ? { header, claims } : undefined
}

/**
 * Checks the claims of specification 5.5 and `nbf`: `iss` in the list, `aud` (see `audienceOf`), `sub`, `iat` (seconds; at most
 * `maxAgeSeconds` and the skew before now, that very moment included), `exp` (later than now), `nonce`. The caller checks whether the
 * identity is that of the credential.
 * Never throws.
 */
export function checkClaims(claims: IdToken['claims'], rules: ClaimRules): Identity | OidcRefusal {
  const { iss, sub, iat, exp, nbf } = claims
  const issuerName = typeof iss === 'string' ? (ISSUER_SPELLINGS.get(iss) ?? iss) : undefined
  const issuer = rules.issuers.find((one) => one.issuer === issuerName)
  if (issuer === undefined) return refuse('issuer')

  const audience = audienceOf(claims, issuer)
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
 * The audience that a token was issued for: a string, or the only one of a list, and one of the issuer's if some are configured. Of
 * several it is the one that `azp` names, which has to be configured (OpenID Connect Core 3.1.3.7: Keycloak and Zitadel name the
 * resource servers as well). Undefined for any other token.
 */
function audienceOf({ aud, azp }: IdToken['claims'], { audiences }: Issuer): string | undefined {
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (all.length > AUDIENCES_MAX || !all.every((one) => isText(one, AUDIENCE_CHARACTERS_MAX)))
    return undefined
  const audience: unknown = all.length === 1 ? all[0] : azp
  if (!isText(audience, AUDIENCE_CHARACTERS_MAX) || !all.includes(audience)) return undefined
  const isAllowed = audiences === undefined ? all.length === 1 : audiences.includes(audience)
  return isAllowed ? audience : undefined
}

/**
 * Verifies the signature of a token with its issuer's keys. The key decides the algorithm: its `alg`, or its type and
 * curve; `none` and HMAC are not accepted. Keys and addresses in the header are ignored; `crit`, and a `typ` other than
 * JWT, are refused. `unknownKey` means that no key, or more than one, fits the header's `kid` and `alg`: newer keys
 * might. Never throws.
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

/** The three parts of a text in the form of a compact JWS. The last two may be empty. */
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
