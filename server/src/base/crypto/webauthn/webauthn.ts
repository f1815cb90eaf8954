import { createHash } from 'node:crypto'
import { type AttestationParts, canVerify, readAttestation, verifyStatement } from './attestation.ts'
import {
  checkAuthenticatorData,
  checkClientData,
  decodePasskeyField,
  type PasskeyRefusal,
  type RelyingParty,
  refuse,
} from './client-data.ts'
import { type CoseKey, parseCoseKey, verifyCoseSignature } from './cose.ts'
import type { RegistrationInput } from './registration-input.ts'

const CREDENTIAL_ID_BYTES_MAX = 1023
const CLIENT_DATA_BYTES_MAX = 8 * 1024
const ATTESTATION_BYTES_MAX = 32 * 1024
const AUTHENTICATOR_DATA_BYTES_MAX = 4 * 1024
const SIGNATURE_BYTES_MAX = 2048

/** A verified passkey to store. */
export interface RegisteredPasskey {
  /** From the authenticator data, as base64url without padding. At most 1023 bytes. */
  readonly credentialId: string
  /** The key as COSE_Key bytes. */
  readonly publicKey: Uint8Array
  /** Unsigned 32 bits. Authenticators without a counter send 0. */
  readonly counter: number
  readonly transports: readonly string[]
  /** A UUID. All zeros if the authenticator does not identify itself. */
  readonly aaguid: string
  readonly userVerified: boolean
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** `none`, `packed`, `fido-u2f`, `tpm`, `android-key` or `apple`. */
  readonly attestationFormat: string
}

export interface AssertionInput extends RelyingParty {
  readonly assertion: {
    /** base64url, like the next three. */
    readonly credentialId: string
    readonly clientDataJson: string
    readonly authenticatorData: string
    readonly signature: string
    /**
     * Not checked: the platform chose it when the passkey was created, and the credential is already known.
     */
    readonly userHandle?: string
  }
  readonly stored: {
    /** base64url. */
    readonly credentialId: string
    /** COSE_Key bytes. */
    readonly publicKey: Uint8Array
    readonly counter: number
  }
  /**
   * The challenge sent to the authenticator. A string stands for its UTF-8 bytes (formats 5: 64 hex
   * characters).
   */
  readonly challenge: string | Uint8Array
}

/** The result of verifying a valid assertion. */
export interface VerifiedAssertion {
  /** The counter to store. The write must be guarded with the counter that was read. */
  readonly newCounter: number
  readonly userVerified: boolean
  readonly backedUp: boolean
}

/**
 * Verifies a registration response (WebAuthn 7.1; specification 4.1, 5.4), whose credential id must match the
 * authenticator data; never throws.
 *
 * Attestation: accepts `none`, packed (self and certificate), `fido-u2f`, `tpm`, `apple` and `android-key` as
 * far as the library verifies them, at the machine's time and only with the roots of Apple and Google.
 * Rejects `android-safetynet`, whose service was shut down, and `android-key` chains with a root other than
 * Google's or with a revocation list, whose URL the library would fetch.
 */
export async function verifyRegistration(
  input: RegistrationInput,
): Promise<RegisteredPasskey | PasskeyRefusal> {
  const credentialId = decodePasskeyField(input.credentialId, CREDENTIAL_ID_BYTES_MAX)
  const clientData = decodePasskeyField(input.clientDataJson, CLIENT_DATA_BYTES_MAX)
  const attestation = decodePasskeyField(input.attestationObject, ATTESTATION_BYTES_MAX)
  if (!credentialId || !clientData || !attestation) return refuse('malformed')

  const challenges = [input.challenge, Buffer.from(input.challenge, 'utf8').toString('base64url')]
  const clientDataFailure = checkClientData(clientData, 'webauthn.create', challenges, input.origins)
  if (clientDataFailure !== undefined) return refuse(clientDataFailure)

  const parts = readAttestation(attestation)
  if (parts === undefined) return refuse('malformed')
  const authenticator = checkAuthenticatorData(parts.authenticatorData, input)
  if (typeof authenticator === 'string') return refuse(authenticator)
  if (!authenticator.credentialId || !authenticator.publicKey) return refuse('malformed')
  if (!Buffer.from(authenticator.credentialId).equals(credentialId)) return refuse('credentialId')
  const key = parseCoseKey(authenticator.publicKey)
  if (key === undefined) return refuse('publicKey')
  if (!canVerify(parts) || !isStrictSelfAttestation(parts, key, clientData)) return refuse('attestation')

  const verified = await verifyStatement(input, { credentialId, clientData, attestation })
  if (verified === undefined) return refuse('attestation')
  return {
    credentialId: Buffer.from(credentialId).toString('base64url'),
    publicKey: authenticator.publicKey,
    counter: authenticator.counter,
    transports: input.transports ?? [],
    aaguid: verified.aaguid,
    userVerified: authenticator.userVerified,
    backupEligible: authenticator.backupEligible,
    backedUp: authenticator.backedUp,
    attestationFormat: parts.format,
  }
}

/**
 * Verifies an assertion (WebAuthn 7.2; specification 5.4): credential id, type, challenge, origin, hash of
 * the RP id, user presence, user verification if required, signature (strict DER) and counter. The counter is
 * checked last, so the failure `counter` (not higher, unless both are zero) always means a signature by the
 * passkey's own key, of which a copy must exist; an event reports this. Never throws.
 */
export function verifyAssertion(input: AssertionInput): VerifiedAssertion | PasskeyRefusal {
  const { assertion, stored, challenge } = input
  const credentialId = decodePasskeyField(assertion.credentialId, CREDENTIAL_ID_BYTES_MAX)
  const clientData = decodePasskeyField(assertion.clientDataJson, CLIENT_DATA_BYTES_MAX)
  const authenticatorData = decodePasskeyField(assertion.authenticatorData, AUTHENTICATOR_DATA_BYTES_MAX)
  const signature = decodePasskeyField(assertion.signature, SIGNATURE_BYTES_MAX)
  if (!credentialId || !clientData || !authenticatorData || !signature) return refuse('malformed')
  if (Buffer.from(credentialId).toString('base64url') !== stored.credentialId) return refuse('credentialId')

  const challengeBytes =
    typeof challenge === 'string' ? Buffer.from(challenge, 'utf8') : Buffer.from(challenge)
  const challenges = [challengeBytes.toString('base64url')]
  const clientDataFailure = checkClientData(clientData, 'webauthn.get', challenges, input.origins)
  if (clientDataFailure !== undefined) return refuse(clientDataFailure)
  const authenticator = checkAuthenticatorData(authenticatorData, input)
  if (typeof authenticator === 'string') return refuse(authenticator)

  const key = parseCoseKey(stored.publicKey)
  if (key === undefined) return refuse('publicKey')
  if (!verifyCoseSignature(key, assembleSignedBytes(authenticatorData, clientData), signature))
    return refuse('signature')

  const { counter, userVerified, backedUp } = authenticator
  if ((counter !== 0 || stored.counter !== 0) && counter <= stored.counter) return refuse('counter')
  return { newCounter: counter, userVerified, backedUp }
}

/**
 * Strictly checks packed self attestation (WebAuthn 8.2), because the library accepts any algorithm and BER.
 * True for all other attestation.
 */
function isStrictSelfAttestation(parts: AttestationParts, key: CoseKey, clientData: Uint8Array): boolean {
  const { format, certificates, algorithm, signature } = parts
  if (format !== 'packed' || certificates.length > 0) return true
  if (algorithm !== key.algorithm || !(signature instanceof Uint8Array)) return false
  return verifyCoseSignature(key, assembleSignedBytes(parts.authenticatorData, clientData), signature)
}

/** The bytes that an authenticator signs: its own data and the SHA-256 of the client data. */
function assembleSignedBytes(authenticatorData: Uint8Array, clientData: Uint8Array): Uint8Array {
  return Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
}
