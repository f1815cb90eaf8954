import { createHash } from 'node:crypto'
import { parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import { bytesFromBase64url, textFromUtf8 } from '../encodings.ts'
import { readJsonObject } from '../json-object.ts'

/** Stands for `http://localhost` with any port or none, for the sandbox. */
export const LOCALHOST_ANY_PORT = 'http://localhost:*'

/** The checks that a passkey response can fail, with messages for the caller. */
export const PASSKEY_REASONS = {
  malformed: 'Malformed passkey response',
  credentialId: 'Passkey credential id does not match',
  type: 'Passkey response is of the wrong type',
  challenge: 'Passkey challenge does not match',
  origin: 'Passkey origin is not allowed',
  crossOrigin: 'Passkey was used across origins',
  rpId: 'Passkey relying party does not match',
  userPresence: 'Passkey user was not present',
  userVerification: 'Passkey user was not verified',
  publicKey: 'Passkey public key is not supported',
  attestation: 'Passkey attestation is not valid',
  signature: 'Invalid passkey signature',
  counter: 'Passkey signature counter did not increase',
} as const

export type PasskeyFailure = keyof typeof PASSKEY_REASONS

/** The check that failed, and the message for the response. */
export interface PasskeyRefusal {
  readonly failure: PasskeyFailure
  readonly reason: string
}

export function refuse(failure: PasskeyFailure): PasskeyRefusal {
  return { failure, reason: PASSKEY_REASONS[failure] }
}

/** The values of the relying party that a response must match. */
export interface RelyingParty {
  /** The domain to which passkeys are bound, such as `example.org`. */
  readonly rpId: string
  /** Allowed origins, compared exactly. `LOCALHOST_ANY_PORT` is the only pattern. */
  readonly origins: readonly string[]
  readonly requireUserVerification: boolean
}

/** Authenticator data (WebAuthn 6.1) whose flags and length have been checked. */
export interface AuthenticatorData {
  readonly userVerified: boolean
  readonly backupEligible: boolean
  readonly backedUp: boolean
  readonly counter: number
  /** Present only at registration. */
  readonly credentialId?: Uint8Array
  readonly publicKey?: Uint8Array
}

const ANDROID_ORIGIN = /^android:apk-key-hash:[A-Za-z0-9_-]{43}$/
const IOS_ORIGIN = /^ios:bundle-id:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/
const LOCALHOST_ORIGIN = /^http:\/\/localhost(?::([1-9][0-9]{0,4}))?$/
const PORT_MAX = 65535
const PADDING = /={1,2}$/

/**
 * Classifies an origin when the configuration is checked. Never throws; undefined for anything else.
 *
 * - `web`: `https://host[:port]` as a browser writes it (lower case, no path, no default port), also used by
 *   passkeys of iOS apps
 * - `app`: `android:apk-key-hash:` with the base64url SHA-256 of the signing certificate, or `ios:bundle-id:`
 * - `localhost`: `http://localhost[:port]` or `LOCALHOST_ANY_PORT`, for the sandbox
 */
export function classifyPasskeyOrigin(text: string): 'web' | 'app' | 'localhost' | undefined {
  if (ANDROID_ORIGIN.test(text) || IOS_ORIGIN.test(text)) return 'app'
  if (text === LOCALHOST_ANY_PORT || isLocalhost(text)) return 'localhost'
  const isWeb = text.startsWith('https://') && URL.canParse(text) && new URL(text).origin === text
  return isWeb ? 'web' : undefined
}

/**
 * Decodes a base64url field of a passkey response. Unlike `bytesFromBase64url` it accepts correct padding,
 * which some clients send.
 */
export function decodePasskeyField(text: string, bytesMax: number): Uint8Array | undefined {
  if (text.length > Math.ceil(bytesMax / 3) * 4) return undefined
  const bytes = bytesFromBase64url(text.length % 4 === 0 ? text.replace(PADDING, '') : text)
  return bytes === undefined || bytes.length > bytesMax ? undefined : bytes
}

/**
 * Checks clientDataJSON (WebAuthn 7.1 and 7.2): a single JSON object without duplicate names or a byte order
 * mark, with the right type, one of `challenges` (base64url, as in clientDataJSON), and an allowed origin.
 * Rejects a true `crossOrigin` and any `topOrigin`, because embedding is not supported. Never throws;
 * undefined if all checks pass.
 */
export function checkClientData(
  bytes: Uint8Array,
  type: 'webauthn.create' | 'webauthn.get',
  challenges: readonly string[],
  origins: readonly string[],
): PasskeyFailure | undefined {
  const text = textFromUtf8(bytes)
  const clientData = text === undefined ? undefined : readJsonObject(text)
  if (clientData === undefined) return 'malformed'
  const { challenge, origin, crossOrigin } = clientData
  if (clientData.type !== type) return 'type'
  if (typeof challenge !== 'string' || challenge === '' || !challenges.includes(challenge)) return 'challenge'
  if (typeof origin !== 'string' || !isAllowed(origin, origins)) return 'origin'
  if ((crossOrigin !== undefined && crossOrigin !== false) || Object.hasOwn(clientData, 'topOrigin'))
    return 'crossOrigin'
  return undefined
}

/**
 * Parses authenticator data and checks it against the relying party: well-formed to the last byte, backup
 * state only if backup is possible, hash of the RP id, user presence, and user verification if required.
 * Never throws.
 */
export function checkAuthenticatorData(
  bytes: Uint8Array,
  { rpId, requireUserVerification }: RelyingParty,
): AuthenticatorData | PasskeyFailure {
  let parsed: ReturnType<typeof parseAuthenticatorData>
  try {
    parsed = parseAuthenticatorData(new Uint8Array(bytes))
  } catch {
    return 'malformed'
  }
  const { flags, rpIdHash, counter, credentialID, credentialPublicKey } = parsed
  if (flags.bs && !flags.be) return 'malformed'
  if (!createHash('sha256').update(rpId, 'utf8').digest().equals(rpIdHash)) return 'rpId'
  if (!flags.up) return 'userPresence'
  if (requireUserVerification && !flags.uv) return 'userVerification'
  return {
    userVerified: flags.uv,
    backupEligible: flags.be,
    backedUp: flags.bs,
    counter,
    ...(credentialID && { credentialId: credentialID }),
    ...(credentialPublicKey && { publicKey: credentialPublicKey }),
  }
}

function isAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.some((allowed) =>
    allowed === LOCALHOST_ANY_PORT ? isLocalhost(origin) : allowed === origin,
  )
}

function isLocalhost(origin: string): boolean {
  const match = LOCALHOST_ORIGIN.exec(origin)
  return match !== null && Number(match[1] ?? 1) <= PORT_MAX
}
