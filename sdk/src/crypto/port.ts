/** The part of Web Crypto that the SDK uses: P-256, SHA-256, HMAC and AES-GCM. */
export interface CryptoPort {
  readonly subtle: Pick<
    SubtleCrypto,
    | 'decrypt'
    | 'deriveBits'
    | 'digest'
    | 'encrypt'
    | 'exportKey'
    | 'generateKey'
    | 'importKey'
    | 'sign'
    | 'verify'
  >
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array
}

let override: CryptoPort | undefined

/**
 * Replaces the platform's Web Crypto in the whole program: for React Native, which has no Web Crypto. Call it
 * once, before anything else of the SDK. `undefined` restores the platform's own.
 */
export function setCrypto(port: CryptoPort | undefined): void {
  override = port
}

/** Undefined on a platform without Web Crypto, although TypeScript's own types always declare it. */
function platformCrypto(): CryptoPort | undefined {
  return globalThis.crypto
}

/**
 * The override implementation or the platform's own. Throws an Error that names `setCrypto` if neither exists.
 */
export function webCrypto(): CryptoPort {
  const port = override ?? platformCrypto()
  if (port?.subtle) return port
  throw new Error(
    'Web Crypto is missing here (React Native, or a page without HTTPS): give the sdk an implementation with setCrypto().',
  )
}

/** Fills bytes with randomness; only this part of the port is needed. */
export function randomBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const port = override ?? platformCrypto()
  return typeof port?.getRandomValues === 'function'
    ? port.getRandomValues(bytes)
    : webCrypto().getRandomValues(bytes)
}
