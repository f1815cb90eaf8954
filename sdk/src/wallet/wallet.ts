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
   * The server's quorum key, 130 hex characters, or a function that returns it. It verifies the enclave's
   * signatures. Build it into the app: a key received the same way as the responses proves nothing about
   * their origin.
   */
  readonly quorumPublicKey: string | (() => Promise<string>)
  /** Creates and uses passkeys. Default: the browser's authenticator. */
  readonly authenticator?: PasskeyAuthenticator
  readonly relyingParty?: RelyingParty
  /**
   * Shows each payment to the customer before a session of this wallet signs it. Without it, payments cannot
   * be signed.
   */
  readonly confirm?: Confirm
  /**
   * For a wallet on a chain: what the app itself knows about it. Payments that contradict it are rejected
   * before they are shown.
   */
  readonly chain?: WalletChain
}

type ActiveSession = Answer<'session_list'>['body']['data'][number]

/**
 * An embedded wallet and its sign-in methods. It calls the API through a `Caller`: a `Client` if the key and
 * the API credentials are in the same place (tests, tools, agents), or, on a customer's device, an app's own
 * implementation that goes through its backend. If the backend only forwards messages, use `DeviceKey` and
 * `RecipientKey` on the device instead.
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

  /** Lists the credentials in order of creation. */
  async credentials(): Promise<Credential[]> {
    return listCredentials(this.#access)
  }

  /**
   * Revokes a credential and its sessions (specification 4.3). `session` must belong to another credential of
   * the wallet. Rejects with CountersignError: 400 for the last credential, 401 `WALLET_SIGNATURE_INVALID`
   * for a session of the revoked credential.
   */
  async revokeCredential(id: string, session: Signer): Promise<void> {
    await signed(this.#access.caller, 'credential_delete', { params: { id } }, session)
  }

  /** Lists the active sessions on all devices. */
  async sessions(): Promise<ActiveSession[]> {
    const { caller, accountId } = this.#access
    return (await caller.call('session_list', { query: { accountId } })).body.data
  }

  /** Revokes a session, for example on another device. `session` is any active session of the wallet. */
  async revokeSession(id: string, session: Signer): Promise<void> {
    await signed(this.#access.caller, 'session_delete', { params: { id } }, session)
  }

  /**
   * Returns the wallet's 24-word recovery phrase (specification 4.7). It arrives sealed to a key generated
   * here, in an envelope signed by the enclave. The words give access to all the money: show them, but never
   * store or send them; rejects with EnvelopeError if the envelope is not from the enclave.
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
