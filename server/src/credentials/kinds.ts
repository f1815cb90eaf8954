import type { CredentialRow } from '../db/schema/tables.ts'
import { fieldError } from '../operation.ts'
import type { CredentialKind } from './kind.ts'
import { oauth } from './oauth-kind.ts'
import { emailOtp, smsOtp } from './otp-kind.ts'
import { passkey } from './passkey-kind.ts'

/** Every kind of credential and what it does. */
export const KINDS: Readonly<Record<CredentialRow['type'], CredentialKind>> = {
  EMAIL_OTP: emailOtp,
  SMS_OTP: smsOtp,
  OAUTH: oauth,
  PASSKEY: passkey,
}

/** Error: 400 that names `type`, where a body is of another kind than its credential. */
export function checkKind(credential: CredentialRow, type: CredentialRow['type']): void {
  if (type !== credential.type)
    throw fieldError('INVALID_INPUT', 'type', `This credential is of type ${credential.type}`)
}
