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

/** Gets a new ID token from the provider, with this `nonce` in the authorization request. */
export type OidcTokenSource = (nonce: string) => Promise<string>

/** Sign-in with an identity token of an OpenID provider (specification 5.5). */
export class Identities {
  readonly #access: WalletAccess

  constructor(access: WalletAccess) {
    this.#access = access
  }

  /**
   * Registers the identity (`iss`, `aud`, `sub`) of a token. A token is valid for one call: a later sign-in
   * needs another. Rejects with CountersignError: 400 `INVALID_INPUT` for a string that is not a token, 401
   * `UNAUTHORIZED` for a refused token.
   */
  async register(options: {
    readonly oidcToken: OidcTokenSource
    readonly session?: Signer
  }): Promise<RegisteredCredential> {
    const { accountId } = this.#access
    // A registration is not bound to a key. The nonce is given because providers require one.
    const oidcToken = await options.oidcToken(hexFromBytes(systemRandom(new Uint8Array(32))))
    return registerCredential(this.#access, { type: 'OAUTH', accountId, oidcToken }, options.session)
  }

  /**
   * Signs in, in one call (specification 4.5). The token carries the hash of a key of this device as its
   * `nonce`, and the session's key comes sealed to that key: a stolen token opens nothing.
   * - `credentialId`: needed if the wallet has several identities.
   * - `key`: needed if the customer leaves the page for the provider's. Make it before, put its `nonce()`
   *   into the address, store it (`RecipientKey.keyPair`), and give it here afterwards.
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
    const answer = await caller.call('credential_verify', {
      params: { id },
      body: { type: 'OAUTH', oidcToken, clientPublicKey },
    })
    if (answer.status !== 200) throw new NoCredentialError(`${id} cannot be signed in to with only a token.`)
    return Session.ofSealedKey(caller, { ...answer.body, accountId }, key, confirm)
  }
}
