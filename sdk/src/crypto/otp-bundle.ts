import { bytesFromText, hexFromBytes } from './bytes.ts'
import { EnvelopeError, openEnvelope } from './envelope.ts'
import { seal } from './hpke.ts'
import { pointFromHex } from './p256.ts'

/**
 * The `encryptedOtpBundle` of a verify call (specification 4.5): the code and the public key of the session to be,
 * sealed so that only the server's enclave reads them. `publicKey` is the session's, in hex; `quorumPublicKey` is the
 * server's key to hold the target bundle against (see `openEnvelope`), `accountId` the wallet. Throws EnvelopeError for
 * a target bundle that is not the server's, or of another wallet.
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
    throw new EnvelopeError('The envelope is of another wallet.')
  const target = typeof targetPublic === 'string' ? pointFromHex(targetPublic) : undefined
  if (!target) throw new EnvelopeError('The envelope holds no key to seal to.')
  const content = JSON.stringify({ otp_code: code, public_key: publicKey })
  const { enc, ciphertext } = await seal(target, bytesFromText(content))
  return JSON.stringify({ encappedPublic: hexFromBytes(enc), ciphertext: hexFromBytes(ciphertext) })
}
