import { present } from '@countersign/contract/core/objects'
import { canSeeAccount } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { selectCredential, selectCredentials } from './store.ts'

/** Creates a credential with the columns that all kinds share. */
function makeCredential(
  op: Op,
  accountId: string,
  kindColumns: Pick<CredentialRow, 'type' | 'nickname'> & Partial<CredentialRow>,
): CredentialRow {
  return {
    id: op.newId('AuthMethod'),
    platform_id: op.platform.id,
    account_id: accountId,
    contact: null,
    oidc_issuer: null,
    oidc_audience: null,
    oidc_subject: null,
    webauthn_id: null,
    webauthn_public_key: null,
    webauthn_sign_count: null,
    current_challenge_id: null,
    version: 1,
    created_at: op.now,
    updated_at: op.now,
    revoked_at: null,
    ...kindColumns,
  }
}

/** The kinds of credential whose codes are delivered by message. */
export type DeliveryChannel = 'EMAIL_OTP' | 'SMS_OTP'

/** Creates a credential whose codes are sent to an e-mail address or a phone number. */
export function makeOtpCredential(
  op: Op,
  accountId: string,
  type: DeliveryChannel,
  contact: string,
): CredentialRow {
  return makeCredential(op, accountId, { type, nickname: contact, contact })
}

/** Creates a credential for an identity at an OpenID provider: its `iss`, `aud` and `sub`. */
export function makeOauthCredential(
  op: Op,
  accountId: string,
  identity: {
    readonly issuer: string
    readonly audience: string
    readonly subject: string
    readonly email?: string | undefined
  },
): CredentialRow {
  return makeCredential(op, accountId, {
    type: 'OAUTH',
    nickname: identity.email ?? identity.subject,
    oidc_issuer: identity.issuer,
    oidc_audience: identity.audience,
    oidc_subject: identity.subject,
  })
}

export function makePasskeyCredential(
  op: Op,
  accountId: string,
  nickname: string,
  passkey: { readonly credentialId: string; readonly publicKey: Uint8Array; readonly counter: number },
): CredentialRow {
  return makeCredential(op, accountId, {
    type: 'PASSKEY',
    nickname,
    webauthn_id: passkey.credentialId,
    webauthn_public_key: passkey.publicKey,
    webauthn_sign_count: BigInt(passkey.counter),
  })
}

/** Finds a credential. Throws 404 `CREDENTIAL_NOT_FOUND`, also if it is revoked. */
export async function findCredential(op: Op, id: string): Promise<CredentialRow> {
  const credential = await selectCredential(op, id)
  if (!credential || !(await canSeeAccount(op, credential.account_id)))
    throw new ApiError('CREDENTIAL_NOT_FOUND', { details: { field: 'id' } })
  return credential
}

/** Finds a wallet's credentials that are not revoked, oldest first. */
export async function findCredentials(op: Op, accountId: string): Promise<CredentialRow[]> {
  return selectCredentials(op, accountId)
}

/**
 * Finds the type of the wallet's oldest active credential. E-mail for a wallet without credentials
 * (specification 5.3).
 */
export async function findFirstCredentialType(op: Op, accountId: string): Promise<CredentialRow['type']> {
  const [first] = await findCredentials(op, accountId)
  return first?.type ?? 'EMAIL_OTP'
}

/** Marks a change of the wallet's set of credentials. Guard: the set is unchanged. */
export function markCredentialsChanged(op: Op, account: InternalAccountRow): Write {
  const { id, credentials_version: version } = account
  return update(
    'internal_accounts',
    id,
    { credentials_version: version },
    { credentials_version: version + 1, updated_at: op.now },
  )
}

/** Converts a credential to its API form (specification 2.1). */
export function toCredentialView(credential: CredentialRow) {
  return present({
    id: credential.id,
    accountId: credential.account_id,
    type: credential.type,
    nickname: credential.nickname,
    credentialId: credential.webauthn_id,
    createdAt: credential.created_at.toISOString(),
    updatedAt: credential.updated_at.toISOString(),
  })
}
