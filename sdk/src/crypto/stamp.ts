import { base64urlFromBytes, bytesFromText, hexFromBytes } from './bytes.ts'
import { compressToHex, exportPublicKey, sign } from './p256.ts'

const SCHEME = 'SIGNATURE_SCHEME_TK_API_P256'

/**
 * Creates the value of `Svc-Wallet-Signature` for `payloadToSign` (specification 5.3): base64url JSON with
 * the compressed public key in hex, the scheme, and the DER signature in hex. Signs the UTF-8 bytes of the
 * payload exactly as received: do not parse and reserialize it.
 */
export async function makeStamp(keyPair: CryptoKeyPair, payloadToSign: string): Promise<string> {
  const signature = await sign(keyPair.privateKey, bytesFromText(payloadToSign))
  const publicKey = compressToHex(await exportPublicKey(keyPair))
  const stamp = { publicKey, scheme: SCHEME, signature: hexFromBytes(signature) }
  return base64urlFromBytes(bytesFromText(JSON.stringify(stamp)))
}
