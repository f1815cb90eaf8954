import { systemRandom } from '../client/idempotency-key.ts'
import { hexFromBytes } from '../crypto/bytes.ts'
import type { Signer } from '../signing/signer.ts'
import { RecipientKey } from './recipient-key.ts'
import { Session } from './session.ts'
import {
  findCredential,
  NoCredentialError,
  type RegisteredCredential,
  registerCredential,
  type WalletAccess,
} from './wallet-access.ts'

/** Requests a new ID token from the provider, with this `nonce` in the authorization request. */
export type OidcTokenSource = (nonce: string) => Promise<string>

/** Sign-in with an ID token from an OpenID provider (specification 5.5). */
export class Identities {
  readonly #access: WalletAccess

  constructor(access: WalletAccess) {
    this.#access = access
  }

  /**
   * Registers the identity (`iss`, `aud`, `sub`) in a token. A token is valid for one call only: signing in
   * later needs another. Rejects with CountersignError: 400 `INVALID_INPUT` if the string is not a token, 401
   * `UNAUTHORIZED` if the token is rejected.
   */
  async register(options: {
    readonly oidcToken: OidcTokenSource
    readonly session?: Signer
  }): Promise<RegisteredCredential> {
    const { accountId } = this.#access
    // A registration is not bound to a key, but providers require a nonce.
    const oidcToken = await options.oidcToken(hexFromBytes(systemRandom(new Uint8Array(32))))
    return registerCredential(this.#access, { type: 'OAUTH', accountId, oidcToken }, options.session)
  }

  /**
   * Signs in with one call (specification 4.5). The token's `nonce` is the hash of a key on this device, and
   * the session key is sealed to that key, so a stolen token is useless.
   * - `credentialId`: required if the wallet has several identities.
   * - `key`: required if the customer leaves the page to visit the provider. Generate it beforehand, put its
   *   `nonce()` into the address, store it (`RecipientKey.keyPair`), and pass it here afterwards.
   */
  async signIn(options: {
    readonly oidcToken: OidcTokenSource
    readonly credentialId?: string
    readonly key?: RecipientKey
  }): Promise<Session> {
    const { caller, accountId, confirm } = this.#access
    const id = await findCredential(this.#access, 'OAUTH', options.credentialId)
    const key = options.key ?? (await RecipientKey.generate())
    const { clientPublicKey } = key
    const oidcToken = await options.oidcToken(await key.nonce())
    const response = await caller.call('credential_verify', {
      params: { id },
      body: { type: 'OAUTH', oidcToken, clientPublicKey },
    })
    if (response.status !== 200)
      throw new NoCredentialError(`${id} cannot be signed in to with only a token.`)
    return Session.ofSealedKey(caller, { ...response.body, accountId }, key, confirm)
  }
}
