import type { SignedCredential } from '@countersign/contract/signing/payloads'
import type { Static } from 'typebox'
import type { CredentialRow } from '../db/schema/tables.ts'
import { quoted } from '../formats/quoted.ts'
import { present } from '../op/present.ts'

const WORDS: Readonly<Record<CredentialRow['type'], string>> = {
  EMAIL_OTP: 'codes to the e-mail address',
  SMS_OTP: 'codes to the phone number',
  OAUTH: 'the identity',
  PASSKEY: 'the passkey',
}

/** Describes a credential to its holder. An identity is named by what the issuer vouches for, not by the e-mail it claims. */
export function describeCredential({
  type,
  nickname,
  oidc_subject,
  oidc_issuer,
}: Pick<CredentialRow, 'type' | 'nickname' | 'oidc_subject' | 'oidc_issuer'>): string {
  const words = WORDS[type]
  return type === 'OAUTH'
    ? `${words} ${quoted(oidc_subject!)} at ${quoted(oidc_issuer!)}`
    : `${words} ${quoted(nickname)}`
}

/** A credential as a payload names it. */
export function signedCredential({
  id,
  type,
  nickname,
  webauthn_id,
}: Pick<CredentialRow, 'id' | 'type' | 'nickname' | 'webauthn_id'>): Static<typeof SignedCredential> {
  return present({ id, type, nickname, credentialId: webauthn_id })
}
