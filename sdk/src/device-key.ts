import { sealOtpCode } from './crypto/otp-bundle.ts'
import { compressedHex, generateSigningKeyPair, uncompressedPublicKey } from './crypto/p256.ts'
import { makeStamp } from './crypto/stamp.ts'
import type { Signer } from './signer.ts'

/**
 * The key of one session, on the customer's device, which it never leaves: Web Crypto uses the private half and does
 * not give it out. It needs no network and no credentials, so it works where the platform's backend makes the calls:
 * the device seals the code and stamps payloads, the backend passes them on (`credential_verify`). For sign-ins by
 * passkey and by identity token the server makes it, and `RecipientKey` opens it.
 */
export class DeviceKey implements Signer {
  /** Both halves; a browser can keep them in IndexedDB as they are. */
  readonly keyPair: CryptoKeyPair
  /** 66 hex characters, compressed, as it stands in stamps. */
  readonly publicKey: string

  private constructor(keyPair: CryptoKeyPair, uncompressed: Uint8Array) {
    this.keyPair = keyPair
    this.publicKey = compressedHex(uncompressed)
  }

  /** A new key. Every sign-in by code takes a new one. */
  static async generate(): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await generateSigningKeyPair())
  }

  /** A key that was kept. */
  static async fromKeyPair(keyPair: CryptoKeyPair): Promise<DeviceKey> {
    return new DeviceKey(keyPair, await uncompressedPublicKey(keyPair))
  }

  /**
   * Seals a one-time code together with this key (specification 4.5): gives the `encryptedOtpBundle` of the verify
   * call. Only the server's enclave can read it; nobody in between can exchange the key. With `quorumPublicKey`
   * (130 hex characters) the target bundle must be signed by it. Throws EnvelopeError where the bundle is not whole.
   */
  async sealCode(
    code: string,
    otpEncryptionTargetBundle: string,
    options: { quorumPublicKey?: string | undefined } = {},
  ): Promise<string> {
    return sealOtpCode({ code, publicKey: this.publicKey, otpEncryptionTargetBundle, ...options })
  }

  async sign(payloadToSign: string): Promise<string> {
    return makeStamp(this.keyPair, payloadToSign)
  }
}
