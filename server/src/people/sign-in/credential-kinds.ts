import { createFieldError } from '../../kernel/operation/operation.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'
import type { CredentialKind } from './credential-kind.ts'
import { oauth } from './oauth-credential.ts'
import { emailOtp, smsOtp } from './otp-credential.ts'
import { passkey } from './passkey-credential.ts'

/** The implementation of each kind of credential. */
export const CREDENTIAL_KINDS: Readonly<Record<CredentialRow['type'], CredentialKind>> = {
  EMAIL_OTP: emailOtp,
  SMS_OTP: smsOtp,
  OAUTH: oauth,
  PASSKEY: passkey,
}

/** Throws 400 for the field `type` if it does not match the credential. */
export function checkKind(credential: CredentialRow, type: CredentialRow['type']): void {
  if (type !== credential.type)
    throw createFieldError('INVALID_INPUT', 'type', `This credential is of type ${credential.type}.`)
}
