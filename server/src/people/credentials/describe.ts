import { present } from '@countersign/contract/core/objects'
import type { SignedCredential } from '@countersign/contract/signing/payloads'
import type { Static } from 'typebox'
import { quoteName } from '../../base/formats/quoted.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'

const CREDENTIAL_LABELS: Readonly<Record<CredentialRow['type'], string>> = {
  EMAIL_OTP: 'codes to the e-mail address',
  SMS_OTP: 'codes to the phone number',
  OAUTH: 'the identity',
  PASSKEY: 'the passkey',
}

/**
 * Describes a credential to the wallet's holder. An OpenID identity is described by values that the issuer
 * guarantees, not by its e-mail claim.
 */
export function describeCredential({
  type,
  nickname,
  oidc_subject,
  oidc_issuer,
}: Pick<CredentialRow, 'type' | 'nickname' | 'oidc_subject' | 'oidc_issuer'>): string {
  const label = CREDENTIAL_LABELS[type]
  return type === 'OAUTH'
    ? `${label} ${quoteName(requireValue(oidc_subject, 'subject of an OAuth credential'))} at ${quoteName(requireValue(oidc_issuer, 'issuer of an OAuth credential'))}`
    : `${label} ${quoteName(nickname)}`
}

/** A credential as it appears in a signed payload. */
export function toSignedCredential({
  id,
  type,
  nickname,
  webauthn_id,
}: Pick<CredentialRow, 'id' | 'type' | 'nickname' | 'webauthn_id'>): Static<typeof SignedCredential> {
  return present({ id, type, nickname, credentialId: webauthn_id })
}
