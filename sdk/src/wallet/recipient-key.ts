import { bytesFromText, hexFromBytes, sha256 } from '../crypto/bytes.ts'
import { exportPublicKey, generateRecipientKeyPair } from '../crypto/p256.ts'
import { openSessionKey } from '../crypto/session-key.ts'
import { openWalletExport } from '../crypto/wallet-export.ts'
import { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
import { DeviceKey } from './device-key.ts'

/**
 * A key on the customer's device to which the server seals a secret: the session key of a sign-in by passkey
 * or identity token, or of a refresh, or the recovery phrase of an export. It signs nothing; its private key
 * stays in Web Crypto, and like `DeviceKey` it needs no network access and no credentials. Generate a new one
 * each time.
 */
export class RecipientKey {
  /**
   * The key pair. Browsers can store it in IndexedDB as it is, for example while the customer visits a
   * provider.
   */
  readonly keyPair: CryptoKeyPair
  /** 130 hex characters, uncompressed: the `clientPublicKey` of calls that take one. */
  readonly clientPublicKey: string

  private constructor(keyPair: CryptoKeyPair, clientPublicKey: string) {
    this.keyPair = keyPair
    this.clientPublicKey = clientPublicKey
  }

  static async generate(): Promise<RecipientKey> {
    return RecipientKey.fromKeyPair(await generateRecipientKeyPair())
  }

  /** Restores a stored key. */
  static async fromKeyPair(keyPair: CryptoKeyPair): Promise<RecipientKey> {
    return new RecipientKey(keyPair, hexFromBytes(await exportPublicKey(keyPair)))
  }

  /**
   * The `nonce` that an identity token must contain to sign in with this key (specification 5.5): the SHA-256
   * of `clientPublicKey` as text, in hex. Send it in the authorization request to the provider.
   */
  async nonce(): Promise<string> {
    return hexFromBytes(await sha256(bytesFromText(this.clientPublicKey)))
  }

  /**
   * The WebAuthn challenge of a sign-in by passkey: the hash of `payloadToSign`, computed here, as text whose
   * UTF-8 bytes go to the authenticator. The server's own `challenge` is not used, because it must only be a
   * copy of this hash. Rejects with PayloadMismatchError if the payload is for another wallet or credential
   * (`AuthMethod:…`), or seals the session to another key.
   */
  async passkeyChallenge(
    payloadToSign: string,
    expected: { readonly accountId: string; readonly id: string } & Pick<
      Expectation,
      'requestId' | 'expiresAt'
    >,
  ): Promise<string> {
    const { accountId, id, requestId, expiresAt } = expected
    const { clientPublicKey } = this
    const { text } = await CheckedPayload.check(payloadToSign, {
      operation: 'credential_verify',
      target: `POST /auth/credentials/${id}/verify`,
      account: accountId,
      clientPublicKey,
      requestId,
      expiresAt,
    })
    return hexFromBytes(await sha256(bytesFromText(text)))
  }

  /**
   * Opens `encryptedSessionSigningKey`: the session key, which can sign but cannot be exported. Throws
   * SealedKeyError if it was sealed to another key.
   */
  async openSessionKey(encryptedSessionSigningKey: string): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await openSessionKey(this.keyPair, encryptedSessionSigningKey))
  }

  /**
   * Opens `encryptedWalletCredentials`: the 24-word recovery phrase, which only the wallet's owner may see.
   * Throws EnvelopeError if `quorumPublicKey` did not sign it or it is not for the wallet `accountId`.
   */
  async openWallet(
    encryptedWalletCredentials: string,
    expected: { readonly quorumPublicKey: string; readonly accountId: string },
  ): Promise<string> {
    return openWalletExport(this.keyPair, encryptedWalletCredentials, expected)
  }
}
