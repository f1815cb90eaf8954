import { bytesFromText, hexFromBytes } from './bytes.ts'
import { EnvelopeError, openEnvelope } from './envelope.ts'
import { seal } from './hpke.ts'
import { pointFromHex } from './p256.ts'

/**
 * Builds the `encryptedOtpBundle` of a verify call (specification 4.5): the code and the new session's public
 * key, sealed so that only the server's enclave can read them. `publicKey` is the session's key in hex,
 * `quorumPublicKey` the server's key that must have signed the target bundle (see `openEnvelope`), and
 * `accountId` the wallet. Throws EnvelopeError if the target bundle was not signed by the server or is for
 * another wallet.
 */
export async function sealOtpCode(options: {
  code: string
  publicKey: string
  otpEncryptionTargetBundle: string
  quorumPublicKey?: string | undefined
  accountId?: string | undefined
}): Promise<string> {
  const { code, publicKey, otpEncryptionTargetBundle, quorumPublicKey, accountId } = options
  const { targetPublic, organizationId } = await openEnvelope(otpEncryptionTargetBundle, { quorumPublicKey })
  if (accountId !== undefined && organizationId !== accountId)
    throw new EnvelopeError('The envelope is for another wallet.')
  const target = typeof targetPublic === 'string' ? pointFromHex(targetPublic) : undefined
  if (!target) throw new EnvelopeError('The envelope contains no key to seal to.')
  const content = JSON.stringify({ otp_code: code, public_key: publicKey })
  const { enc, ciphertext } = await seal(target, bytesFromText(content))
  return JSON.stringify({ encappedPublic: hexFromBytes(enc), ciphertext: hexFromBytes(ciphertext) })
}
