import type { Answer, Caller } from '../client/calls.ts'
import { onChain, type WalletChain } from '../signing/chain-transfers.ts'
import type { Confirm } from '../signing/confirm.ts'
import { signed } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import { Identities } from './identity-tokens.ts'
import { EmailCodes, SmsCodes } from './one-time-codes.ts'
import { browserAuthenticator, type PasskeyAuthenticator } from './passkey-authenticator.ts'
import { Passkeys } from './passkeys.ts'
import { RecipientKey } from './recipient-key.ts'
import { Session, type SessionRecord } from './session.ts'
import { type Credential, listCredentials, type RelyingParty, type WalletAccess } from './wallet-access.ts'

export interface WalletOptions {
  /**
   * The server's quorum key, 130 hex characters, or a function that gets it. It verifies signatures of the
   * enclave. Build it into the app: a key that arrives the same way as the responses proves only that they
   * agree.
   */
  readonly quorumPublicKey: string | (() => Promise<string>)
  /** Makes and uses passkeys. Default: the browser's. */
  readonly authenticator?: PasskeyAuthenticator
  readonly relyingParty?: RelyingParty
  /** Shows the customer each payment before a session of this wallet signs it. Without it no payment is signed. */
  readonly confirm?: Confirm
  /**
   * For a wallet on a chain, the app's own knowledge of it: payments that contradict it are refused before
   * they are shown.
   */
  readonly chain?: WalletChain
}

type ActiveSession = Answer<'session_list'>['body']['data'][number]

/**
 * One embedded wallet and its kinds of sign-in. It reaches the API through a `Caller`: a `Client` if the key
 * and the API's credentials are in one place (tests, tools, agents), or, on a customer's device, an app's own
 * implementation through its backend. If a backend only forwards messages, use `DeviceKey` and `RecipientKey`
 * on the device instead.
 */
export class Wallet {
  readonly accountId: string
  readonly email: EmailCodes
  readonly sms: SmsCodes
  readonly passkey: Passkeys
  readonly oauth: Identities
  readonly #access: WalletAccess

  constructor(caller: Caller, accountId: string, options: WalletOptions) {
    const { quorumPublicKey, authenticator = browserAuthenticator, relyingParty = {}, chain } = options
    const confirm = chain && options.confirm ? onChain(chain, options.confirm) : options.confirm
    this.accountId = accountId
    this.#access = {
      caller,
      accountId,
      quorumPublicKey: async () =>
        typeof quorumPublicKey === 'string' ? quorumPublicKey : await quorumPublicKey(),
      authenticator,
      relyingParty,
      confirm,
    }
    this.email = new EmailCodes(this.#access)
    this.sms = new SmsCodes(this.#access)
    this.passkey = new Passkeys(this.#access)
    this.oauth = new Identities(this.#access)
  }

  /** Restores a stored session (`Session.record`). */
  async session(record: SessionRecord): Promise<Session> {
    const { caller, confirm } = this.#access
    return Session.fromRecord(caller, record, confirm)
  }

  /** The credentials, in order of creation. */
  async credentials(): Promise<Credential[]> {
    return listCredentials(this.#access)
  }

  /**
   * Revokes a credential and its sessions (specification 4.3). `session` belongs to another credential of the wallet.
   * Rejects with CountersignError: 400 for the last credential, 401 `WALLET_SIGNATURE_INVALID` for a session of the
   * credential itself.
   */
  async revokeCredential(id: string, session: Signer): Promise<void> {
    await signed(this.#access.caller, 'credential_delete', { params: { id } }, session)
  }

  /** The active sessions, on this device or another. */
  async sessions(): Promise<ActiveSession[]> {
    const { caller, accountId } = this.#access
    return (await caller.call('session_list', { query: { accountId } })).body.data
  }

  /** Revokes a session on another device; `session` is any active one of the wallet. */
  async revokeSession(id: string, session: Signer): Promise<void> {
    await signed(this.#access.caller, 'session_delete', { params: { id } }, session)
  }

  /**
   * The recovery phrase of the wallet, 24 words (specification 4.7), sealed to a key made here, in an
   * envelope signed by the enclave. The words give access to all the money: show them, and never store or
   * send them. Rejects with EnvelopeError if the envelope is not from the enclave.
   */
  async export(session: Signer): Promise<string> {
    const { caller, accountId, quorumPublicKey } = this.#access
    const pinned = await quorumPublicKey()
    const key = await RecipientKey.generate()
    const { clientPublicKey } = key
    const input = { params: { id: accountId }, body: { clientPublicKey } }
    const { body } = await signed(caller, 'internal_account_export', input, session)
    return key.openWallet(body.encryptedWalletCredentials, { quorumPublicKey: pinned, accountId })
  }
}
