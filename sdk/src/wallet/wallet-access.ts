import type { Answer, Caller, Input } from '../client/calls.ts'
import type { Confirm } from '../signing/confirm.ts'
import { signed } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import type { PasskeyAuthenticator } from './passkey-authenticator.ts'

/** The dependencies of all sign-in methods. */
export interface WalletAccess {
  readonly caller: Caller
  readonly accountId: string
  /** The server's key, which verifies its signatures: 130 hex characters. */
  readonly quorumPublicKey: () => Promise<string>
  readonly authenticator: PasskeyAuthenticator
  readonly relyingParty: RelyingParty
  /** Shows the wallet's payments before they are signed. */
  readonly confirm: Confirm | undefined
}

/** The relying party of the wallet's passkeys, as configured in the platform's `passkeyConfig`. */
export interface RelyingParty {
  /** Default: the page's domain. */
  readonly id?: string
  /** The app's name in the browser's passkey dialog. Default: the domain. */
  readonly name?: string
  /** `required` demands a fingerprint, a face or a PIN. Default: `preferred`, as in `passkeyConfig`. */
  readonly userVerification?: 'required' | 'preferred' | 'discouraged'
}

/** A wallet's credential as returned by the API (specification 2.1). */
export type Credential = Answer<'credential_list'>['body']['data'][number]

/**
 * The response to a registration. If it contains `otpEncryptionTargetBundle`, a code has already been sent.
 */
export type RegisteredCredential = Extract<Answer<'credential_create'>, { status: 201 }>['body']

/** The wallet has no credential of this kind. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError'
}

/** The wallet has several credentials of this kind, so `credentialId` is required. */
export class AmbiguousCredentialError extends Error {
  override readonly name = 'AmbiguousCredentialError'
  readonly credentials: readonly Credential[]

  constructor(message: string, credentials: readonly Credential[]) {
    super(message)
    this.credentials = credentials
  }
}

/** The wallet already has a credential, so registering another one requires a session. */
export class SessionRequiredError extends Error {
  override readonly name = 'SessionRequiredError'
}

export async function listCredentials({ caller, accountId }: WalletAccess): Promise<Credential[]> {
  return (await caller.call('credential_list', { query: { accountId } })).body.data
}

/** Returns the given id, or the id of the wallet's only credential of this type. */
export async function findCredential(
  access: WalletAccess,
  type: Credential['type'],
  credentialId: string | undefined,
): Promise<string> {
  if (credentialId !== undefined) return credentialId
  const matching = (await listCredentials(access)).filter((credential) => credential.type === type)
  const [credential] = matching
  if (!credential) throw new NoCredentialError(`${access.accountId} has no ${type} credential.`)
  if (matching.length > 1)
    throw new AmbiguousCredentialError(
      `${access.accountId} has ${matching.length} ${type} credentials: choose one by credentialId.`,
      matching,
    )
  return credential.id
}

/**
 * Registers a credential (specification 4.1). The wallet's first credential needs no signature; for another
 * one a session must sign. Rejects with SessionRequiredError if the session is missing.
 */
export async function registerCredential(
  { caller, accountId }: WalletAccess,
  body: Input<'credential_create'>['body'],
  session: Signer | undefined,
): Promise<RegisteredCredential> {
  if (session) return (await signed(caller, 'credential_create', { body }, session)).body
  const response = await caller.call('credential_create', { body })
  if (response.status === 202)
    throw new SessionRequiredError(`${accountId} already has a credential: another one needs a session.`)
  return response.body
}
