import type { Caller } from './calls.ts'
import { DeviceKey } from './device-key.ts'
import { Session } from './session.ts'
import { signed } from './signed.ts'

export interface SignInOptions {
  /** The one-time code, or what asks the customer for it; asked once the code has been sent. */
  readonly code: string | (() => Promise<string>)
  /** Which credential; left out, the first EMAIL_OTP credential of the wallet. */
  readonly credentialId?: string
  /** The server's quorum key, 130 hex characters: refuses a bundle that is not signed by it. */
  readonly quorumPublicKey?: string
}

/** The wallet has no credential to sign in with. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError'
}

/**
 * One embedded wallet. It reaches the API through a `Caller`: a `Client` where the key and the API's credentials are
 * in one place (tests, tools, agents), an app's own way through its backend on a customer's device. Where a backend
 * only passes messages on, use `DeviceKey` on the device instead.
 */
export class Wallet {
  readonly accountId: string
  readonly #caller: Caller

  constructor(caller: Caller, accountId: string) {
    this.#caller = caller
    this.accountId = accountId
  }

  /**
   * Signs in by a one-time code (specification 4.4, 4.5): starts the challenge, makes a key here, seals the code to the
   * server's enclave with it, answers the 202 with a stamp of that key. Rejects with CountersignError: 401
   * `UNAUTHORIZED` for a wrong or old code, 429 `RATE_LIMITED` for too many challenges.
   */
  async signIn(options: SignInOptions): Promise<Session> {
    const { code, quorumPublicKey } = options
    const id = options.credentialId ?? (await this.#findEmailCredential())
    const challenge = await this.#caller.call('credential_challenge', { params: { id } })
    const bundle = challenge.body.type === 'PASSKEY' ? undefined : challenge.body.otpEncryptionTargetBundle
    if (!bundle) throw new NoCredentialError(`${id} is not signed in to with a code.`)
    const key = await DeviceKey.generate()
    const text = typeof code === 'string' ? code : await code()
    const encryptedOtpBundle = await key.sealCode(text, bundle, { quorumPublicKey })
    const type = challenge.body.type === 'SMS_OTP' ? 'SMS_OTP' : 'EMAIL_OTP'
    const { body } = await signed(
      this.#caller,
      'credential_verify',
      { params: { id }, body: { type, encryptedOtpBundle } },
      key,
    )
    const { accountId, expiresAt } = body
    return Session.fromKeys({ id: body.id, accountId, expiresAt, keyPair: key.keyPair })
  }

  async #findEmailCredential(): Promise<string> {
    const { body } = await this.#caller.call('credential_list', { query: { accountId: this.accountId } })
    const credential = body.data.find(({ type }) => type === 'EMAIL_OTP')
    if (!credential) throw new NoCredentialError(`${this.accountId} has no EMAIL_OTP credential.`)
    return credential.id
  }
}
