import type { Answer, Caller, Input } from '../client/calls.ts'
import type { Confirm } from '../signing/confirm.ts'
import { signed } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import type { PasskeyAuthenticator } from './passkey-authenticator.ts'

/** The dependencies that all kinds of sign-in share. */
export interface WalletAccess {
  readonly caller: Caller
  readonly accountId: string
  /** The server's key, which verifies its signatures: 130 hex characters. */
  readonly quorumPublicKey: () => Promise<string>
  readonly authenticator: PasskeyAuthenticator
  readonly relyingParty: RelyingParty
  /** Shows payments for the sessions of the wallet. */
  readonly confirm: Confirm | undefined
}

/** The relying party of the wallet's passkeys, as in `passkeyConfig` of the platform. */
export interface RelyingParty {
  /** Default: the domain of the page. */
  readonly id?: string
  /** The name of the app when the browser asks for a passkey. Default: the domain. */
  readonly name?: string
  /** Requires a fingerprint, a face or a PIN. Default: `preferred`, as in `passkeyConfig`. */
  readonly userVerification?: 'required' | 'preferred' | 'discouraged'
}

/** A credential of a wallet, as the API shows it (specification 2.1). */
export type Credential = Answer<'credential_list'>['body']['data'][number]

/** The response to a registration. With `otpEncryptionTargetBundle` a code has already been sent. */
export type RegisteredCredential = Extract<Answer<'credential_create'>, { status: 201 }>['body']

/** The wallet has no credential of this kind to sign in with. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError'
}

/** The wallet has several credentials of this kind, so `credentialId` must name one. */
export class AmbiguousCredentialError extends Error {
  override readonly name = 'AmbiguousCredentialError'
  readonly credentials: readonly Credential[]

  constructor(message: string, credentials: readonly Credential[]) {
    super(message)
    this.credentials = credentials
  }
}

/** The wallet already has a credential, so another one needs a session of the wallet. */
export class SessionRequiredError extends Error {
  override readonly name = 'SessionRequiredError'
}

export async function listCredentials({ caller, accountId }: WalletAccess): Promise<Credential[]> {
  return (await caller.call('credential_list', { query: { accountId } })).body.data
}

/** The given id, or the id of the wallet's only credential of this type. */
export async function findCredential(
  access: WalletAccess,
  type: Credential['type'],
  credentialId: string | undefined,
): Promise<string> {
  if (credentialId !== undefined) return credentialId
  const found = (await listCredentials(access)).filter((credential) => credential.type === type)
  const [credential] = found
  if (!credential) throw new NoCredentialError(`${access.accountId} has no ${type} credential.`)
  if (found.length > 1)
    throw new AmbiguousCredentialError(
      `${access.accountId} has ${found.length} ${type} credentials: choose one by credentialId.`,
      found,
    )
  return credential.id
}

/**
 * Registers a credential (specification 4.1): immediately if it is the wallet's first, otherwise signed by a
 * session of another credential. Rejects with SessionRequiredError if the session is missing.
 */
export async function registerCredential(
  { caller, accountId }: WalletAccess,
  body: Input<'credential_create'>['body'],
  session: Signer | undefined,
): Promise<RegisteredCredential> {
  if (session) return (await signed(caller, 'credential_create', { body }, session)).body
  const answer = await caller.call('credential_create', { body })
  if (answer.status === 202)
    throw new SessionRequiredError(`${accountId} already has a credential: another one needs a session.`)
  return answer.body
}
