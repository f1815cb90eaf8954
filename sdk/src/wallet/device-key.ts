import { sealOtpCode } from '../crypto/otp-bundle.ts'
import { compressToHex, exportPublicKey, generateSigningKeyPair } from '../crypto/p256.ts'
import { makeStamp } from '../crypto/stamp.ts'
import { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
import { type Confirm, requireConfirmation } from '../signing/confirm.ts'
import { systemClock } from '../time/system-clock.ts'
import { checkOtpToken, type ExpectedOtpToken } from './otp-token.ts'

/**
 * The key of one session. It never leaves the customer's device: Web Crypto uses the private key without
 * exporting it. If the platform's backend makes the calls, the device seals the code and stamps payloads
 * without network access or credentials, and the backend forwards them (`credential_verify`).
 *
 * - Sign-ins by passkey and by identity token use `RecipientKey` instead, because the server creates their
 *   key.
 */
export class DeviceKey {
  /** The key pair. Browsers can store it in IndexedDB as it is. */
  readonly keyPair: CryptoKeyPair
  /** 66 hex characters, compressed, as in stamps. */
  readonly publicKey: string

  private constructor(keyPair: CryptoKeyPair, uncompressed: Uint8Array) {
    this.keyPair = keyPair
    this.publicKey = compressToHex(uncompressed)
  }

  /** Generates a key. Use a new one for every sign-in by code. */
  static async generate(): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await generateSigningKeyPair())
  }

  /** Restores a stored key. */
  static async fromKeyPair(keyPair: CryptoKeyPair): Promise<DeviceKey> {
    return new DeviceKey(keyPair, await exportPublicKey(keyPair))
  }

  /**
   * Seals a one-time code and this key (specification 4.5) as the `encryptedOtpBundle` of the verify call,
   * which only the server's enclave can read. Throws EnvelopeError if the target bundle is not signed by
   * `quorumPublicKey` (130 hex characters) or not for the wallet `accountId`, if these are given.
   */
  async sealCode(
    code: string,
    otpEncryptionTargetBundle: string,
    options: { quorumPublicKey?: string | undefined; accountId?: string | undefined } = {},
  ): Promise<string> {
    return sealOtpCode({ code, publicKey: this.publicKey, otpEncryptionTargetBundle, ...options })
  }

  /**
   * The second call of a sign-in by code: returns the stamp over the token in the first response's
   * `payloadToSign`. Rejects with PayloadMismatchError unless the enclave issued the token for this key and
   * this wallet.
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
   * Returns the stamp over `payloadToSign` if it authorizes the call that this device requested (described by
   * `signedCall`). A payment is first shown by `confirm`. For devices whose backend makes the calls and
   * forwards the payload; rejects with PayloadMismatchError, ConfirmationRequiredError or NotConfirmedError.
   */
  async approve(payloadToSign: string, expected: Expectation, confirm?: Confirm): Promise<string> {
    const payload = await CheckedPayload.check(payloadToSign, expected)
    await requireConfirmation(payload.statement, confirm)
    return this.sign(payload.text)
  }

  /**
   * Returns the stamp over arbitrary text, without any checks. An attacker who can choose the text can have a
   * quote signed that empties the wallet. Never pass it text from the network: use `approve` and
   * `approveSignIn`, as `Session` and `signed` do.
   */
  async sign(text: string): Promise<string> {
    return makeStamp(this.keyPair, text)
  }
}
