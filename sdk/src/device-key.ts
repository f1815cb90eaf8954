import { CheckedPayload, type Expectation } from './checked-payload.ts'
import { askFor, type Confirm } from './confirm.ts'
import { sealOtpCode } from './crypto/otp-bundle.ts'
import { checkOtpToken, type ExpectedOtpToken } from './crypto/otp-token.ts'
import { compressedHex, generateSigningKeyPair, uncompressedPublicKey } from './crypto/p256.ts'
import { makeStamp } from './crypto/stamp.ts'
import { systemClock } from './system-clock.ts'

/**
 * The key of one session, on the customer's device, which it never leaves: Web Crypto uses the private half and does
 * not give it out. It needs no network and no credentials, so it works where the platform's backend makes the calls:
 * the device seals the code and stamps payloads, the backend passes them on (`credential_verify`). For sign-ins by
 * passkey and by identity token the server makes it, and `RecipientKey` opens it.
 */
export class DeviceKey {
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
   * (130 hex characters) the target bundle must be signed by it, and with `accountId` be of this wallet. Throws
   * EnvelopeError where the bundle is not whole.
   */
  async sealCode(
    code: string,
    otpEncryptionTargetBundle: string,
    options: { quorumPublicKey?: string | undefined; accountId?: string | undefined } = {},
  ): Promise<string> {
    return sealOtpCode({ code, publicKey: this.publicKey, otpEncryptionTargetBundle, ...options })
  }

  /**
   * The second leg of a sign-in by code: the stamp over the token that the first one answers with as `payloadToSign`.
   * Rejects with PayloadMismatchError where that is not the enclave's word on this key and this wallet.
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
   * The stamp over `payloadToSign`, if it is of the call that this device asked for (`signedCall` describes it) and, where
   * it is a payment, once `confirm` has shown it. For devices whose backend makes the calls and passes the payload on.
   * Rejects with PayloadMismatchError, ConfirmationRequiredError, NotConfirmedError.
   */
  async approve(payloadToSign: string, expected: Expectation, confirm?: Confirm): Promise<string> {
    const payload = await CheckedPayload.check(payloadToSign, expected)
    await askFor(payload.statement, confirm)
    return this.sign(payload.text)
  }

  /**
   * The stamp over any text. It looks at nothing: not at what the text authorizes, nor for whom, nor whether anybody asked
   * for it. Whoever chooses the text can have a quote signed that empties the wallet, so never give it what came over the
   * network: `approve` and `approveSignIn` are for that, and `Session` and `signed` use them.
   */
  async sign(text: string): Promise<string> {
    return makeStamp(this.keyPair, text)
  }
}
