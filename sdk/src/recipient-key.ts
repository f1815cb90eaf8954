import { CheckedPayload, type Expectation } from './checked-payload.ts'
import { bytesFromText, hexFromBytes, sha256 } from './crypto/bytes.ts'
import { generateRecipientKeyPair, uncompressedPublicKey } from './crypto/p256.ts'
import { openSessionKey } from './crypto/session-key.ts'
import { openWalletExport } from './crypto/wallet-export.ts'
import { DeviceKey } from './device-key.ts'

/**
 * A key of the customer's device that the server seals a secret to: the session key of a sign-in by passkey or identity
 * token and of a refresh, the recovery phrase of an export. It signs nothing, and its private half stays in Web Crypto.
 * Make a new one each time. Like `DeviceKey` it needs no network and no credentials.
 */
export class RecipientKey {
  /** Both halves; a browser can keep them in IndexedDB as they are, over the way to a provider and back. */
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

  /** A key that was kept. */
  static async fromKeyPair(keyPair: CryptoKeyPair): Promise<RecipientKey> {
    return new RecipientKey(keyPair, hexFromBytes(await uncompressedPublicKey(keyPair)))
  }

  /**
   * The `nonce` that an identity token has to carry to sign in with this key (specification 5.5): the SHA-256 of the
   * characters of `clientPublicKey`, in hex. Goes into the authorization request to the provider.
   */
  async nonce(): Promise<string> {
    return hexFromBytes(await sha256(bytesFromText(this.clientPublicKey)))
  }

  /**
   * The WebAuthn challenge of a sign-in by passkey, as text whose UTF-8 bytes the authenticator is given: the hash of
   * `payloadToSign`, made here, of which the challenge call's own `challenge` is only a copy. Rejects with
   * PayloadMismatchError where the payload does not sign in to this wallet with this credential (`AuthMethod:…`), or seals
   * the session to another key than this one.
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
   * The key of the session out of `encryptedSessionSigningKey`: signs and cannot be read out. Throws SealedKeyError
   * where it was sealed to another key.
   */
  async openSessionKey(encryptedSessionSigningKey: string): Promise<DeviceKey> {
    return DeviceKey.fromKeyPair(await openSessionKey(this.keyPair, encryptedSessionSigningKey))
  }

  /**
   * The recovery phrase out of `encryptedWalletCredentials`: 24 words for whoever owns the wallet, and nobody else.
   * Throws EnvelopeError where another than `quorumPublicKey` signed it or it is not of the wallet `accountId`.
   */
  async openWallet(
    encryptedWalletCredentials: string,
    expected: { readonly quorumPublicKey: string; readonly accountId: string },
  ): Promise<string> {
    return openWalletExport(this.keyPair, encryptedWalletCredentials, expected)
  }
}
