import { bytesFromHex, textFromBytes } from './bytes.ts'
import { EnvelopeError, openEnvelope } from './envelope.ts'
import { open } from './hpke.ts'
import { pointFromHex } from './p256.ts'

/**
 * Opens `encryptedWalletCredentials` of a wallet export with the key pair to which it was sealed. Returns the
 * recovery phrase: BIP-39 words separated by spaces. Throws EnvelopeError unless the envelope is signed by
 * `quorumPublicKey` and is for the wallet `accountId`.
 */
export async function openWalletExport(
  recipient: CryptoKeyPair,
  text: string,
  expected: { readonly quorumPublicKey: string; readonly accountId: string },
): Promise<string> {
  const { quorumPublicKey, accountId } = expected
  const { encappedPublic, ciphertext, organizationId } = await openEnvelope(text, { quorumPublicKey })
  if (organizationId !== accountId) throw new EnvelopeError('The envelope is for another wallet.')
  const enc = typeof encappedPublic === 'string' ? pointFromHex(encappedPublic) : undefined
  const sealed = typeof ciphertext === 'string' ? bytesFromHex(ciphertext) : undefined
  if (!enc || !sealed) throw new EnvelopeError('The envelope cannot be read.')
  const phrase = await open(recipient, enc, sealed)
  if (!phrase) throw new EnvelopeError('The recovery phrase is not sealed to this key.')
  return textFromBytes(phrase)
}
