import { bytesFromText, hexFromBytes, sha256 } from '../crypto/bytes.ts'
import { exportPublicKey, generateRecipientKeyPair } from '../crypto/p256.ts'
import { openSessionKey } from '../crypto/session-key.ts'
import { openWalletExport } from '../crypto/wallet-export.ts'
import { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
import { DeviceKey } from './device-key.ts'

/**
 * A key of the customer's device that the server seals a secret to: the session key of a sign-in by passkey
 * or identity token and of a refresh, or the recovery phrase of an export. It signs nothing, its private half
 * stays in Web Crypto, and like `DeviceKey` it needs no network and no credentials. Make a new one each time.
 */
export class RecipientKey {
  /** Both halves; a browser can keep them in IndexedDB as they are, while the customer visits a provider. */
  readonly keyPair: CryptoKeyPair
  /** 130 hex characters, uncompressed: `clientPublicKey` of the calls that take one. */
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
   * The `nonce` that an identity token must carry to sign in with this key (specification 5.5): the SHA-256 of the
   * characters of `clientPublicKey`, in hex. Send it in the authorization request to the provider.
   */
  async nonce(): Promise<string> {
    return hexFromBytes(await sha256(bytesFromText(this.clientPublicKey)))
  }

  /**
   * The WebAuthn challenge of a sign-in by passkey, as text whose UTF-8 bytes the authenticator gets: the
   * hash of `payloadToSign`, computed here. The challenge call's own `challenge` is only a copy of it.
   * Rejects with PayloadMismatchError if the payload does not sign in to this wallet with this credential
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
   * Opens `encryptedSessionSigningKey`: the key of the session, which can sign and cannot be exported. Throws
   * SealedKeyError if it was sealed to another key.
   */
  async openSessionKey(encryptedSessionSigningKey: string): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await openSessionKey(this.keyPair, encryptedSessionSigningKey))
  }

  /**
   * Opens `encryptedWalletCredentials`: the recovery phrase, 24 words only for the owner of the wallet.
   * Throws EnvelopeError if `quorumPublicKey` did not sign it or it is not for the wallet `accountId`.
   */
  async openWallet(
    encryptedWalletCredentials: string,
    expected: { readonly quorumPublicKey: string; readonly accountId: string },
  ): Promise<string> {
    return openWalletExport(this.keyPair, encryptedWalletCredentials, expected)
  }
}
