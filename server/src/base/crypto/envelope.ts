import { isObject } from '@countersign/contract/core/decode'
import { bytesFromHex, hexFromBytes, readStringMembers, textFromUtf8 } from './encodings.ts'
import { isSamePublicKey, type KeyPair, parsePublicKey, signMessage, verifySignature } from './p256.ts'

const VERSION = 'v1.0.0'
/** Our envelopes are below 2 KiB. The limit keeps large hostile input away from the parsers. */
const ENVELOPE_CHARACTERS_MAX = 65_536
const MEMBERS = ['version', 'data', 'dataSignature', 'enclaveQuorumPublic'] as const

export type EnvelopeFailure =
  /** Not an envelope: the JSON, its properties, the hex or the data are malformed. */
  | 'MALFORMED'
  | 'UNKNOWN_VERSION'
  /** Signed with a key other than the pinned one, validly or not. */
  | 'WRONG_QUORUM_KEY'
  | 'BAD_SIGNATURE'

/**
 * Signs `data` with the server's quorum key (formats 3). Returns JSON with the properties `version`, `data`
 * (hex of the UTF-8 JSON), `dataSignature` (hex DER over those bytes) and `enclaveQuorumPublic` (130
 * lower-case hex characters).
 */
export function signEnvelope(data: Readonly<Record<string, string>>, quorumKey: KeyPair): string {
  const bytes = Buffer.from(JSON.stringify(data), 'utf8')
  return JSON.stringify({
    version: VERSION,
    data: hexFromBytes(bytes),
    dataSignature: hexFromBytes(signMessage(quorumKey, bytes)),
    enclaveQuorumPublic: quorumKey.publicKey.uncompressedHex,
  })
}

/**
 * Verifies an envelope with the quorum key that the caller has pinned (hex, either form), and returns its
 * data. The key in the envelope is only compared, never trusted. Never throws because of the envelope; throws
 * TypeError if the pinned key is invalid.
 */
export function verifyEnvelope(
  text: string,
  pinnedQuorumPublicHex: string,
): { data: Record<string, unknown> } | { failure: EnvelopeFailure } {
  const pinned = parsePublicKey(pinnedQuorumPublicHex)
  if (pinned === undefined) throw new TypeError('the pinned quorum key is not a P-256 public key')
  const members = text.length > ENVELOPE_CHARACTERS_MAX ? undefined : readStringMembers(text, MEMBERS)
  if (members === undefined) return { failure: 'MALFORMED' }
  if (members.version !== VERSION) return { failure: 'UNKNOWN_VERSION' }
  const bytes = bytesFromHex(members.data)
  const signature = bytesFromHex(members.dataSignature)
  const quorumKey = parsePublicKey(members.enclaveQuorumPublic)
  if (bytes === undefined || signature === undefined || quorumKey === undefined)
    return { failure: 'MALFORMED' }
  if (quorumKey.uncompressedHex !== members.enclaveQuorumPublic) return { failure: 'MALFORMED' }
  if (!isSamePublicKey(quorumKey, pinned)) return { failure: 'WRONG_QUORUM_KEY' }
  if (!verifySignature(pinned, bytes, signature)) return { failure: 'BAD_SIGNATURE' }
  const data = decodeJsonObject(bytes)
  return data === undefined ? { failure: 'MALFORMED' } : { data }
}

function decodeJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  const text = textFromUtf8(bytes)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
