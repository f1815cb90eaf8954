import { isObject } from '../json/json.ts'
import { bytesFromHex, textFromBytes } from './bytes.ts'
import { pointFromHex, verify } from './p256.ts'

const VERSION = 'v1.0.0'

/** A signed envelope failed its checks. `message` has the reason. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
}

/**
 * Checks a signed envelope (`otpEncryptionTargetBundle`, specification 2.1) and returns its data.
 * `quorumPublicKey` is the expected signer, 130 hex characters. Without it, the key inside the envelope is
 * used, which only proves that the envelope is unmodified, not who created it; throws EnvelopeError.
 */
export async function openEnvelope(
  text: string,
  options: { quorumPublicKey?: string | undefined } = {},
): Promise<Record<string, unknown>> {
  const { version, data, dataSignature, enclaveQuorumPublic } = parseObject(text)
  if (version !== VERSION) throw new EnvelopeError(`The version of the envelope is not ${VERSION}.`)
  const bytes = typeof data === 'string' ? bytesFromHex(data) : undefined
  const signature = typeof dataSignature === 'string' ? bytesFromHex(dataSignature) : undefined
  const signer = typeof enclaveQuorumPublic === 'string' ? pointFromHex(enclaveQuorumPublic) : undefined
  if (!bytes || !signature || !signer) throw new EnvelopeError('The envelope cannot be read.')
  const { quorumPublicKey } = options
  if (
    quorumPublicKey !== undefined &&
    quorumPublicKey.toLowerCase() !== String(enclaveQuorumPublic).toLowerCase()
  )
    throw new EnvelopeError('The envelope is not signed by the pinned key.')
  if (!(await verify(signer, bytes, signature)))
    throw new EnvelopeError('The signature of the envelope is not valid.')
  let content: string
  try {
    content = textFromBytes(bytes)
  } catch {
    throw new EnvelopeError('The envelope cannot be read.')
  }
  return parseObject(content)
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new EnvelopeError('The envelope cannot be read.')
  }
  if (!isObject(value)) throw new EnvelopeError('The envelope cannot be read.')
  return value
}
