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
 * Replaces the platform's Web Crypto for the whole program, for example in React Native, which lacks it. Call
 * it before using anything else in the SDK. `undefined` restores the platform's own.
 */
export function setCrypto(port: CryptoPort | undefined): void {
  override = port
}

/** Undefined on a platform without Web Crypto, although TypeScript's types always declare it. */
function findPlatformCrypto(): CryptoPort | undefined {
  return globalThis.crypto
}

/**
 * Returns the override, or the platform's own Web Crypto. Throws an Error that mentions `setCrypto` if there
 * is neither.
 */
export function getWebCrypto(): CryptoPort {
  const port = override ?? findPlatformCrypto()
  if (port?.subtle) return port
  throw new Error(
    'Web Crypto is missing here (React Native, or a page without HTTPS): give the sdk an implementation with setCrypto().',
  )
}

/** Fills an array with random bytes. Only needs `getRandomValues`. */
export function randomBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const port = override ?? findPlatformCrypto()
  return typeof port?.getRandomValues === 'function'
    ? port.getRandomValues(bytes)
    : getWebCrypto().getRandomValues(bytes)
}
