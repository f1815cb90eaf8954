import { base64urlFromBytes, bytesFromText } from '../crypto/bytes.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import type { Signer } from '../signing/signer.ts'
import { RecipientKey } from './recipient-key.ts'
import { Session } from './session.ts'
import {
  findCredential,
  listCredentials,
  NoCredentialError,
  type RegisteredCredential,
  registerCredential,
  type WalletAccess,
} from './wallet-access.ts'

/** COSE algorithms: Ed25519, ECDSA on P-256, RSA PKCS #1. */
const ALGORITHMS = [-8, -7, -257]

/** Sign-in with passkeys (specification 2.4, 5.4). */
export class Passkeys {
  readonly #access: WalletAccess

  constructor(access: WalletAccess) {
    this.#access = access
  }

  /**
   * Creates a passkey and registers it. Rejects with CountersignError: 400
   * `PASSKEY_CREDENTIAL_ALREADY_EXISTS`, 400 `INVALID_INPUT` if the attestation is for another domain.
   * - `challenge`: a random string that your backend issued for this registration. Its UTF-8 bytes are the
   *   WebAuthn challenge.
   * - `session`: a session of a credential that the wallet already has.
   */
  async register(options: {
    readonly nickname: string
    readonly challenge: string
    readonly session?: Signer
  }): Promise<RegisteredCredential> {
    const { nickname, challenge, session } = options
    const { accountId, authenticator, relyingParty } = this.#access
    const { userVerification = 'preferred' } = relyingParty
    const passkeys = (await listCredentials(this.#access)).filter(({ type }) => type === 'PASSKEY')
    const created = await authenticator.create({
      challenge: toBase64url(challenge),
      rp: {
        name: relyingParty.name ?? relyingParty.id ?? globalThis.location?.hostname ?? '',
        ...(relyingParty.id === undefined ? {} : { id: relyingParty.id }),
      },
      user: { id: toBase64url(accountId), name: nickname, displayName: nickname },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: passkeys.flatMap(({ credentialId }) =>
        credentialId === undefined ? [] : [{ type: 'public-key', id: credentialId }],
      ),
      authenticatorSelection: { residentKey: 'preferred', userVerification },
      attestation: 'none',
    })
    const { clientDataJSON, attestationObject, transports = [] } = created.response
    const attestation = {
      credentialId: created.id,
      clientDataJson: clientDataJSON,
      attestationObject,
      transports,
    }
    const body = { type: 'PASSKEY', accountId, nickname, challenge, attestation } as const
    return registerCredential(this.#access, body, session)
  }

  /**
   * Signs in (specification 4.4, 4.5); the payload contains a key of this device, the passkey signs the
   * payload's hash, which is computed here, and the session key is sealed to the device's key. `credentialId`
   * is the id of the `AuthMethod`, required if the wallet has several passkeys.
   *
   * Rejects with PayloadMismatchError if the payload is for another wallet, credential or key (before the
   * customer is prompted), and with CountersignError: 401 `UNAUTHORIZED` with the failed check as `reason`.
   */
  async signIn(options: { readonly credentialId?: string } = {}): Promise<Session> {
    const { caller, accountId, authenticator, relyingParty, confirm } = this.#access
    const { userVerification = 'preferred' } = relyingParty
    const id = await findCredential(this.#access, 'PASSKEY', options.credentialId)
    const key = await RecipientKey.generate()
    const { clientPublicKey } = key
    const { body: request } = await caller.call('credential_challenge', {
      params: { id },
      body: { clientPublicKey },
    })
    if (request.type !== 'PASSKEY') throw new NoCredentialError(`${id} is not a passkey.`)
    const { payloadToSign, requestId, expiresAt } = request
    const challenge = await key.passkeyChallenge(payloadToSign, { accountId, id, requestId, expiresAt })
    if (request.challenge !== challenge)
      throw new PayloadMismatchError('challenge', 'is not the hash of payloadToSign')
    const { id: credentialId, response } = await authenticator.get({
      // The bytes of the text itself, not the bytes that it represents in hex.
      challenge: toBase64url(challenge),
      ...(relyingParty.id === undefined ? {} : { rpId: relyingParty.id }),
      allowCredentials: [{ type: 'public-key', id: request.credentialId }],
      userVerification,
    })
    const { clientDataJSON, authenticatorData, signature, userHandle } = response
    const assertion = {
      credentialId,
      clientDataJson: clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle === undefined ? {} : { userHandle }),
    }
    const verified = await caller.call('credential_verify', {
      params: { id },
      body: { type: 'PASSKEY', assertion },
      requestId,
    })
    if (verified.status !== 200)
      throw new NoCredentialError(`${id} cannot be signed in to with only a passkey.`)
    return Session.ofSealedKey(caller, { ...verified.body, accountId }, key, confirm)
  }
}

function toBase64url(text: string): string {
  return base64urlFromBytes(bytesFromText(text))
}
