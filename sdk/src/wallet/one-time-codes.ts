import type { Signer } from '../signing/signer.ts'
import { DeviceKey } from './device-key.ts'
import { Session } from './session.ts'
import {
  findCredential,
  NoCredentialError,
  type RegisteredCredential,
  registerCredential,
  type WalletAccess,
} from './wallet-access.ts'

export interface CodeSignInOptions {
  /** The one-time code, or a function that asks the customer for it once it has been sent. */
  readonly code: string | (() => Promise<string>)
  /** The credential's id. Default: the wallet's only credential of this type. */
  readonly credentialId?: string
  /**
   * The target bundle of a registration, which has already sent a code. Signs in with that code instead of
   * requesting another.
   */
  readonly otpEncryptionTargetBundle?: string
}

/** Sign-in with a code sent by e-mail. Every new wallet has this credential. */
export class EmailCodes {
  readonly #access: WalletAccess

  constructor(access: WalletAccess) {
    this.#access = access
  }

  /** Registers the customer's e-mail address again after that credential was revoked (specification 4.1). */
  async register(options: { readonly session?: Signer } = {}): Promise<RegisteredCredential> {
    const { accountId } = this.#access
    return registerCredential(this.#access, { type: 'EMAIL_OTP', accountId }, options.session)
  }

  /**
   * Signs in (specification 4.4, 4.5): requests a code, generates a key on this device, seals both to the
   * server's enclave, and completes the 202 with a stamp by that key. Rejects with CountersignError: 401
   * `UNAUTHORIZED` for a wrong or expired code, 429 `RATE_LIMITED` for too many challenges.
   */
  async signIn(options: CodeSignInOptions): Promise<Session> {
    return signInByCode(this.#access, 'EMAIL_OTP', options)
  }
}

/** Sign-in with a code sent by SMS. */
export class SmsCodes {
  readonly #access: WalletAccess

  constructor(access: WalletAccess) {
    this.#access = access
  }

  /** Registers a phone number (E.164), by default the customer's. This also sends a code. */
  async register(
    options: { readonly phoneNumber?: string; readonly session?: Signer } = {},
  ): Promise<RegisteredCredential> {
    const { accountId } = this.#access
    const { phoneNumber, session } = options
    const body = {
      type: 'SMS_OTP',
      accountId,
      ...(phoneNumber === undefined ? {} : { phoneNumber }),
    } as const
    return registerCredential(this.#access, body, session)
  }

  /** Signs in, as `EmailCodes.signIn` does. */
  async signIn(options: CodeSignInOptions): Promise<Session> {
    return signInByCode(this.#access, 'SMS_OTP', options)
  }
}

async function signInByCode(
  access: WalletAccess,
  type: 'EMAIL_OTP' | 'SMS_OTP',
  options: CodeSignInOptions,
): Promise<Session> {
  const { caller, accountId, confirm } = access
  const { code } = options
  const id = await findCredential(access, type, options.credentialId)
  const bundle = options.otpEncryptionTargetBundle ?? (await requestCode(access, id))
  const quorumPublicKey = await access.quorumPublicKey()
  const key = await DeviceKey.generate()
  const typedCode = typeof code === 'string' ? code : await code()
  const encryptedOtpBundle = await key.sealCode(typedCode, bundle, { quorumPublicKey, accountId })
  const call = { params: { id }, body: { type, encryptedOtpBundle } }
  const { status, body: request } = await caller.call('credential_verify', call)
  if (status !== 202) throw isWrongCode(id)
  const { payloadToSign, requestId } = request
  const signature = await key.approveSignIn(payloadToSign, { accountId, quorumPublicKey, type })
  const response = await caller.call('credential_verify', { ...call, signature, requestId })
  if (response.status !== 200) throw isWrongCode(id)
  return Session.ofDeviceKey(caller, { ...response.body, accountId }, key, confirm)
}

async function requestCode({ caller }: WalletAccess, id: string): Promise<string> {
  const { body } = await caller.call('credential_challenge', { params: { id } })
  const bundle = body.type === 'PASSKEY' ? undefined : body.otpEncryptionTargetBundle
  if (!bundle) throw isWrongCode(id)
  return bundle
}

function isWrongCode(id: string): NoCredentialError {
  return new NoCredentialError(`${id} does not support sign-in with a code.`)
}
