import {
  type AuthenticatorTransport,
  SettingsService,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { convertCertBufferToPEM, decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { COSE_ALGORITHMS } from './cose-algorithms.ts'
import type { RegistrationInput } from './registration-input.ts'

const CERTIFICATES_MAX = 8
const ATTESTATION_FORMATS = ['none', 'packed', 'fido-u2f', 'tpm', 'android-key', 'apple']
const ANDROID_KEY = 'android-key'
/** The end of the object id of "CRL distribution points" in a certificate, preceded by its length. */
const REVOCATION_LIST_OID = Buffer.from('03551d1f', 'hex')

/** The parts of an attestation object that are read before the library verifies it. */
export interface AttestationParts {
  readonly format: string
  readonly authenticatorData: Uint8Array
  /** `x5c`, `alg` and `sig` of the attestation statement. */
  readonly certificates: readonly Uint8Array[]
  readonly algorithm: unknown
  readonly signature: unknown
}

/** Reads an attestation object. Never throws, because the CBOR is checked first. */
export function readAttestation(bytes: Uint8Array): AttestationParts | undefined {
  try {
    const attestation: unknown = decodeAttestationObject(new Uint8Array(bytes))
    if (!(attestation instanceof Map)) return undefined
    const format: unknown = attestation.get('fmt')
    const authenticatorData: unknown = attestation.get('authData')
    const statement: unknown = attestation.get('attStmt')
    if (typeof format !== 'string' || !(authenticatorData instanceof Uint8Array)) return undefined
    if (!(statement instanceof Map)) return undefined
    const certificates: unknown = statement.get('x5c') ?? []
    if (!Array.isArray(certificates) || certificates.length > CERTIFICATES_MAX) return undefined
    if (!certificates.every((certificate) => certificate instanceof Uint8Array)) return undefined
    const [algorithm, signature]: unknown[] = [statement.get('alg'), statement.get('sig')]
    return { format, authenticatorData, certificates, algorithm, signature }
  } catch {
    return undefined
  }
}

/** True if the library can verify the format without network access. */
export function canVerify({ format, certificates }: AttestationParts): boolean {
  if (!ATTESTATION_FORMATS.includes(format)) return false
  if (format !== ANDROID_KEY) return true
  const root = certificates.at(-1)
  const roots = SettingsService.getRootCertificates({ identifier: ANDROID_KEY })
  if (root === undefined || !roots.includes(convertCertBufferToPEM(new Uint8Array(root)))) return false
  return !certificates.some((certificate) => Buffer.from(certificate).includes(REVOCATION_LIST_OID))
}

/** Lets the library verify the attestation statement and, a second time, everything else. */
export async function verifyStatement(
  input: RegistrationInput,
  bytes: { credentialId: Uint8Array; clientData: Uint8Array; attestation: Uint8Array },
): Promise<{ aaguid: string } | undefined> {
  const id = Buffer.from(bytes.credentialId).toString('base64url')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: Buffer.from(bytes.clientData).toString('base64url'),
          attestationObject: Buffer.from(bytes.attestation).toString('base64url'),
          transports: [...(input.transports ?? [])] as AuthenticatorTransport[],
        },
      },
      // Challenge and origin have already been compared: the library supports neither the two forms of a
      // challenge nor our origin pattern.
      expectedChallenge: () => true,
      expectedOrigin: readOrigin(bytes.clientData),
      expectedRPID: input.rpId,
      requireUserVerification: input.requireUserVerification,
      supportedAlgorithmIDs: [...COSE_ALGORITHMS],
    })
    return verified ? { aaguid: registrationInfo.aaguid } : undefined
  } catch {
    return undefined
  }
}

/** The origin in client data that has already been checked. */
function readOrigin(clientData: Uint8Array): string {
  const { origin }: { readonly origin: string } = JSON.parse(Buffer.from(clientData).toString('utf8'))
  return origin
}
