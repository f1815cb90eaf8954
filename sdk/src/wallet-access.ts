import type { Answer, Caller, Input } from './calls.ts'
import type { Confirm } from './confirm.ts'
import type { PasskeyAuthenticator } from './passkey-authenticator.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/** What the ways to sign in to a wallet share. */
export interface WalletAccess {
  readonly caller: Caller
  readonly accountId: string
  /** The server's key, to hold against what it signed: 130 hex characters. */
  readonly quorumPublicKey: () => Promise<string>
  readonly authenticator: PasskeyAuthenticator
  readonly relyingParty: RelyingParty
  /** What its sessions show payments with. */
  readonly confirm: Confirm | undefined
}

/** Where the wallet's passkeys are made and used: as `passkeyConfig` of the platform has it. */
export interface RelyingParty {
  /** Left out: the domain of the page. */
  readonly id?: string
  /** What the browser calls the app when it asks for a passkey; left out: the domain. */
  readonly name?: string
  /** Whether a finger, a face or a PIN is asked for; left out: `preferred`, as it is in `passkeyConfig`. */
  readonly userVerification?: 'required' | 'preferred' | 'discouraged'
}

/** A way to sign in to a wallet, as the API shows it (specification 2.1). */
export type Credential = Answer<'credential_list'>['body']['data'][number]

/** What a registration answers; with `otpEncryptionTargetBundle` a code has gone out already. */
export type RegisteredCredential = Extract<Answer<'credential_create'>, { status: 201 }>['body']

/** The wallet has no such credential to sign in with. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError'
}

/** The wallet has several credentials of this kind, and `credentialId` has to say which. */
export class AmbiguousCredentialError extends Error {
  override readonly name = 'AmbiguousCredentialError'
  readonly credentials: readonly Credential[]

  constructor(message: string, credentials: readonly Credential[]) {
    super(message)
    this.credentials = credentials
  }
}

/** The wallet can be signed in to already, and adding a way takes a session of it. */
export class SessionRequiredError extends Error {
  override readonly name = 'SessionRequiredError'
}

export async function listCredentials({ caller, accountId }: WalletAccess): Promise<Credential[]> {
  return (await caller.call('credential_list', { query: { accountId } })).body.data
}

/** The id that is given, or that of the wallet's one credential of this type. */
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
      `${access.accountId} has ${found.length} ${type} credentials: say which by credentialId.`,
      found,
    )
  return credential.id
}

/**
 * Registers a credential (specification 4.1): at once where it is the wallet's first, and otherwise signed by a session
 * of one it has. Rejects with SessionRequiredError where that is missing.
 */
export async function registerCredential(
  { caller, accountId }: WalletAccess,
  body: Input<'credential_create'>['body'],
  session: Signer | undefined,
): Promise<RegisteredCredential> {
  if (session) return (await signed(caller, 'credential_create', { body }, session)).body
  const answer = await caller.call('credential_create', { body })
  if (answer.status === 202)
    throw new SessionRequiredError(`${accountId} has a credential: a further one takes a session.`)
  return answer.body
}
