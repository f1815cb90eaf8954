import { base64urlFromBytes, bytesFromText, hexFromBytes } from './bytes.ts'
import { compressToHex, exportPublicKey, sign } from './p256.ts'

const SCHEME = 'SIGNATURE_SCHEME_TK_API_P256'

/**
 * The value of `Svc-Wallet-Signature` over `payloadToSign` (specification 5.3): base64url JSON of the compressed public
 * key in hex, the scheme and the DER signature in hex. Signs the UTF-8 bytes of the payload exactly as received: do not
 * parse and print it again.
 */
export async function makeStamp(keyPair: CryptoKeyPair, payloadToSign: string): Promise<string> {
  const signature = await sign(keyPair.privateKey, bytesFromText(payloadToSign))
  const publicKey = compressToHex(await exportPublicKey(keyPair))
  const stamp = { publicKey, scheme: SCHEME, signature: hexFromBytes(signature) }
  return base64urlFromBytes(bytesFromText(JSON.stringify(stamp)))
}
