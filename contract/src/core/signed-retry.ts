import { Type } from 'typebox'
import { Id } from './ids.ts'
import { OneOfWords, Timestamp } from './schema.ts'

export const AUTH_METHOD_TYPES = ['OAUTH', 'EMAIL_OTP', 'SMS_OTP', 'PASSKEY'] as const
export type AuthMethodTypeName = (typeof AUTH_METHOD_TYPES)[number]

export const AuthMethodType = OneOfWords(AUTH_METHOD_TYPES, 'Type of credential')

/** The 202 response of a signed operation (specification 2.3, 3.4). */
export const SignedRequestChallenge = Type.Object({
  // The type of the session that must sign, if known; otherwise the type of the wallet's first credential.
  type: AuthMethodType,
  payloadToSign: Type.String({
    description: 'Stamp exactly these characters; parsing and printing them again breaks the signature',
  }),
  requestId: Id('Request', 'Send it in the Request-Id header of the retry, once'),
  expiresAt: Timestamp('The retry must arrive before this time'),
})
