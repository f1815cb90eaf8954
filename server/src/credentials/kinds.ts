import type { CredentialRow } from '../db/tables.ts'
import { ApiError, fieldError } from '../operation.ts'
import type { CredentialKind } from './kind.ts'
import { emailOtp, smsOtp } from './otp-kind.ts'
import { passkey } from './passkey-kind.ts'

const notYet: CredentialKind = {
  register: refuse,
  challenge: refuse,
  authorize: refuse,
  signIn: refuse,
}

async function refuse(): Promise<never> {
  throw new ApiError('NOT_IMPLEMENTED')
}

/** Every kind of credential and what it does. */
export const KINDS: Readonly<Record<CredentialRow['type'], CredentialKind>> = {
  EMAIL_OTP: emailOtp,
  SMS_OTP: smsOtp,
  OAUTH: notYet,
  PASSKEY: passkey,
}

/** Error: 400 that names `type`, where a body is of another kind than its credential. */
export function checkKind(credential: CredentialRow, type: CredentialRow['type']): void {
  if (type !== credential.type)
    throw fieldError('INVALID_INPUT', 'type', `This credential is of type ${credential.type}`)
}
