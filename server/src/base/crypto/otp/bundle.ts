import { createHash } from 'node:crypto'
import { createBase58check } from '@scure/base'
import { bytesFromHex, hexFromBytes, readStringMembers, textFromUtf8 } from '../encodings.ts'
import { signEnvelope } from '../envelope.ts'
import { open, seal } from '../hpke.ts'
import {
  type KeyPair,
  type PublicKey,
  parsePublicKey,
  parseUncompressedPublicKey,
  toKeyPair,
} from '../p256.ts'

const OTP_BUNDLE_CHARACTERS_MAX = 4096
const BUNDLE_MEMBERS = ['encappedPublic', 'ciphertext'] as const
const OTP_MEMBERS = ['otp_code', 'public_key'] as const
const ASCII_LETTERS_AND_SPACES = /^[a-z]+(?: [a-z]+)+$/

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

export type OtpBundleFailure =
  /** Longer than 4 KiB. */
  | 'TOO_LARGE'
  /** Not a JSON object of exactly `encappedPublic` and `ciphertext` in hex, or not a point on the curve. */
  | 'MALFORMED'
  /**
   * Does not open with this target key, because it was changed or sealed to another key, such as the key of
   * an earlier challenge.
   */
  | 'CANNOT_BE_OPENED'
  /** The content is not `{otp_code, public_key}` with a P-256 key. */
  | 'CONTENT_MALFORMED'

/**
 * Creates an `otpEncryptionTargetBundle` (specification 2.1, formats 2): a signed envelope over
 * `{targetPublic, organizationId, userId}`, with `targetPublic` as 130 lower-case hex characters.
 */
export function makeOtpTargetBundle(
  target: { targetPublicKey: PublicKey; organizationId: string; userId: string },
  quorumKey: KeyPair,
): string {
  const { targetPublicKey, organizationId, userId } = target
  return signEnvelope({ targetPublic: targetPublicKey.uncompressedHex, organizationId, userId }, quorumKey)
}

/**
 * Opens an `encryptedOtpBundle` (specification 4.5, formats 2) with the private key of its challenge (32-byte
 * scalar, or key pair). `otpCode` is the string that the client sealed. `publicKeyCompressedHex` is the
 * client's key as 66 lower-case hex characters, in whichever form it was sealed; never throws because of the
 * bundle.
 */
export function openOtpBundle(
  encryptedOtpBundle: string,
  targetPrivateKey: Uint8Array | KeyPair,
): { otpCode: string; publicKeyCompressedHex: string } | { failure: OtpBundleFailure } {
  if (encryptedOtpBundle.length > OTP_BUNDLE_CHARACTERS_MAX) return { failure: 'TOO_LARGE' }
  const bundle = readStringMembers(encryptedOtpBundle, BUNDLE_MEMBERS)
  if (bundle === undefined) return { failure: 'MALFORMED' }
  const enc = bytesFromHex(bundle.encappedPublic)
  const ciphertext = bytesFromHex(bundle.ciphertext)
  if (enc === undefined || ciphertext === undefined) return { failure: 'MALFORMED' }
  if (parseUncompressedPublicKey(bundle.encappedPublic) === undefined) return { failure: 'MALFORMED' }
  const plaintext = open({ privateKey: targetPrivateKey, enc, ciphertext })
  if (plaintext === undefined) return { failure: 'CANNOT_BE_OPENED' }
  const text = textFromUtf8(plaintext)
  const otp = text === undefined ? undefined : readStringMembers(text, OTP_MEMBERS)
  const publicKey = otp && parsePublicKey(otp.public_key)
  if (otp === undefined || publicKey === undefined) return { failure: 'CONTENT_MALFORMED' }
  return { otpCode: otp.otp_code, publicKeyCompressedHex: publicKey.compressedHex }
}

/**
 * Creates an `encryptedSessionSigningKey` (specification 2.2, formats 2): the session's 32-byte private
 * scalar, sealed to the client's key (130 hex). It is the base58check of compressed `enc` ‖ ciphertext ‖ tag,
 * 81 + 4 bytes or about 116 characters. The caller must have checked both keys: throws TypeError if the
 * client's key is not on the curve, RangeError for an invalid scalar.
 */
export function sealSessionKey(privateScalar: Uint8Array, clientPublicKeyHex: string): string {
  // Checks the scalar: a client would notice an invalid key only at the first signed retry.
  toKeyPair(privateScalar)
  const { enc, ciphertext } = seal({
    recipientPublicKey: parseClientKey(clientPublicKeyHex),
    plaintext: privateScalar,
  })
  return base58check.encode(Buffer.concat([compress(enc), ciphertext]))
}

/**
 * Creates the `encryptedWalletCredentials` of a wallet export (formats 2): a signed envelope over
 * `{encappedPublic, ciphertext, organizationId}`, with the BIP-39 mnemonic sealed as ASCII to the client's
 * key (130 hex). Throws TypeError if the client's key is not on the curve, or if the mnemonic is not ASCII
 * words.
 */
export function sealWalletExport(
  wallet: { mnemonic: string; clientPublicKeyHex: string; organizationId: string },
  quorumKey: KeyPair,
): string {
  if (!ASCII_LETTERS_AND_SPACES.test(wallet.mnemonic))
    throw new TypeError('the mnemonic must consist of English words')
  const { enc, ciphertext } = seal({
    recipientPublicKey: parseClientKey(wallet.clientPublicKeyHex),
    plaintext: Buffer.from(wallet.mnemonic, 'ascii'),
  })
  const data = {
    encappedPublic: hexFromBytes(enc),
    ciphertext: hexFromBytes(ciphertext),
    organizationId: wallet.organizationId,
  }
  return signEnvelope(data, quorumKey)
}

function parseClientKey(hex: string): PublicKey {
  const publicKey = parseUncompressedPublicKey(hex)
  if (publicKey === undefined) throw new TypeError('the client public key is not a P-256 public key')
  return publicKey
}

/** Compresses 65 bytes to 33: the parity of Y, then X. */
function compress(point: Uint8Array): Uint8Array {
  return Uint8Array.of(2 + (point[64]! & 1), ...point.subarray(1, 33))
}
