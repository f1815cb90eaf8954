import { sealOtpCode } from '../crypto/otp-bundle.ts'
import { compressToHex, exportPublicKey, generateSigningKeyPair } from '../crypto/p256.ts'
import { makeStamp } from '../crypto/stamp.ts'
import { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
import { askFor, type Confirm } from '../signing/confirm.ts'
import { systemClock } from '../time/system-clock.ts'
import { checkOtpToken, type ExpectedOtpToken } from './otp-token.ts'

/**
 * The key of one session. It never leaves the customer's device: Web Crypto uses the private half and does
 * not export it. If the platform's backend makes the calls, the device seals the code and stamps payloads
 * without network or credentials, and the backend forwards them (`credential_verify`).
 *
 * - Sign-ins by passkey and by identity token use `RecipientKey`: the server makes their key.
 */
export class DeviceKey {
  /** Both halves; a browser can keep them in IndexedDB as they are. */
  readonly keyPair: CryptoKeyPair
  /** 66 hex characters, compressed, as in stamps. */
  readonly publicKey: string

  private constructor(keyPair: CryptoKeyPair, uncompressed: Uint8Array) {
    this.keyPair = keyPair
    this.publicKey = compressToHex(uncompressed)
  }

  /** Makes a new key. Every sign-in by code needs a new one. */
  static async generate(): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await generateSigningKeyPair())
  }

  /** Restores a stored key. */
  static async fromKeyPair(keyPair: CryptoKeyPair): Promise<DeviceKey> {
    return new DeviceKey(keyPair, await exportPublicKey(keyPair))
  }

  /**
   * Seals a one-time code together with this key (specification 4.5) into the `encryptedOtpBundle` of the
   * verify call, which only the server's enclave can read. Throws EnvelopeError unless the target bundle is
   * signed by `quorumPublicKey` (130 hex characters) and is for the wallet `accountId`, if they are given.
   */
  async sealCode(
    code: string,
    otpEncryptionTargetBundle: string,
    options: { quorumPublicKey?: string | undefined; accountId?: string | undefined } = {},
  ): Promise<string> {
    return sealOtpCode({ code, publicKey: this.publicKey, otpEncryptionTargetBundle, ...options })
  }

  /**
   * The second call of a sign-in by code: the stamp over the token in the `payloadToSign` of the first
   * response. Rejects with PayloadMismatchError if the enclave did not issue it for this key and this wallet.
   */
  async approveSignIn(
    payloadToSign: string,
    expected: Omit<ExpectedOtpToken, 'publicKey' | 'now'>,
  ): Promise<string> {
    const { publicKey } = this
    await checkOtpToken(payloadToSign, { ...expected, publicKey, now: systemClock() })
    return this.sign(payloadToSign)
  }

  /**
   * The stamp over `payloadToSign`, if it authorizes the call that this device requested (described by
   * `signedCall`); `confirm` first shows a payment. For devices whose backend makes the calls and forwards
   * the payload. Rejects with PayloadMismatchError, ConfirmationRequiredError or NotConfirmedError.
   */
  async approve(payloadToSign: string, expected: Expectation, confirm?: Confirm): Promise<string> {
    const payload = await CheckedPayload.check(payloadToSign, expected)
    await askFor(payload.statement, confirm)
    return this.sign(payload.text)
  }

  /**
   * The stamp over any text, without any check of its content, its recipient or a request. An attacker who
   * chooses the text can have a quote signed that empties the wallet. Never give it a text from the network:
   * use `approve` and `approveSignIn`, as `Session` and `signed` do.
   */
  async sign(text: string): Promise<string> {
    return makeStamp(this.keyPair, text)
  }
}
