import { base58 } from '@scure/base'
import { type Bytes, base64urlFromBytes, bytesFromHex, bytesFromText, concatBytes, sha256 } from './bytes.ts'
import { decompress, GENERATOR } from './curve.ts'
import { open } from './hpke.ts'
import { sign, verify } from './p256.ts'
import { getWebCrypto } from './port.ts'

const ENC_BYTES = 33
const SEALED_BYTES = 48
const CHECKSUM_BYTES = 4
const SCALAR_BITS = 256
/**
 * The beginning of a PKCS#8 private key for P-256, up to the 32 bytes of the scalar; the public key is
 * omitted (RFC 5915).
 */
const PKCS8_START = bytesFromHex('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420')!

/** A secret that the server sealed to this device cannot be opened. `message` has the reason. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError'
}

/**
 * Opens `encryptedSessionSigningKey` (specification 2.2) with the key pair to which it was sealed. The
 * resulting private key can sign but cannot be exported. Throws SealedKeyError if it was sealed to another
 * key or has been modified.
 */
export async function openSessionKey(recipient: CryptoKeyPair, text: string): Promise<CryptoKeyPair> {
  const bytes = await decodeBase58check(text)
  if (bytes?.length !== ENC_BYTES + SEALED_BYTES)
    throw new SealedKeyError('This is not a sealed session key.')
  const enc = decompress(bytes.subarray(0, ENC_BYTES))
  const scalar = enc && (await open(recipient, enc, bytes.slice(ENC_BYTES)))
  if (!scalar) throw new SealedKeyError('The session key is not sealed to this key.')
  try {
    return await importSigningKeyPair(scalar)
  } finally {
    scalar.fill(0)
  }
}

async function decodeBase58check(text: string): Promise<Bytes | undefined> {
  let bytes: Uint8Array
  try {
    bytes = base58.decode(text)
  } catch {
    return undefined
  }
  const content = bytes.slice(0, -CHECKSUM_BYTES)
  const checksum = await sha256(await sha256(content))
  const isValid = bytes.slice(-CHECKSUM_BYTES).every((byte, i) => byte === checksum[i])
  return isValid ? content : undefined
}

/**
 * Builds a key pair from a private scalar. Importing the scalar requires the public key, which is computed
 * here because not every browser can export a private key that was imported without one.
 */
async function importSigningKeyPair(scalar: Bytes): Promise<CryptoKeyPair> {
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const
  const d = base64urlFromBytes(scalar)
  const x = await computePublicX(scalar)
  const message = bytesFromText('which of the two')
  for (const form of [2, 3]) {
    const point = decompress(concatBytes(Uint8Array.of(form), x))
    if (!point) break
    const [xText, yText] = [point.subarray(1, 33), point.subarray(33)].map(base64urlFromBytes)
    const jwk = { kty: 'EC', crv: 'P-256', x: xText!, y: yText!, d }
    // Two points on the curve have this x coordinate. With the wrong one, the import fails or the signatures
    // are invalid.
    const privateKey = await getWebCrypto()
      .subtle.importKey('jwk', jwk, ecdsa, false, ['sign'])
      .catch(() => undefined)
    if (!privateKey || !(await verify(point, message, await sign(privateKey, message)))) continue
    return {
      privateKey,
      publicKey: await getWebCrypto().subtle.importKey('raw', point, ecdsa, true, ['verify']),
    }
  }
  throw new SealedKeyError('The sealed secret is not a private key.')
}

/** Computes the x coordinate of the public key, as a key agreement with the curve's generator. */
async function computePublicX(scalar: Bytes): Promise<Bytes> {
  const ecdh = { name: 'ECDH', namedCurve: 'P-256' } as const
  const pkcs8 = concatBytes(PKCS8_START, scalar)
  try {
    const key = await getWebCrypto().subtle.importKey('pkcs8', pkcs8, ecdh, false, ['deriveBits'])
    const generator = await getWebCrypto().subtle.importKey('raw', GENERATOR, ecdh, false, [])
    return new Uint8Array(
      await getWebCrypto().subtle.deriveBits({ ...ecdh, public: generator }, key, SCALAR_BITS),
    )
  } catch {
    throw new SealedKeyError('The sealed secret is not a private key.')
  } finally {
    pkcs8.fill(0)
  }
}
