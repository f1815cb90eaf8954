import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { PhoneNumber } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOf, Opaque, Tag, Text } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { CreatedAuthMethod } from './credentials.ts'

const accountId = Id('InternalAccount', 'The embedded wallet that the credential signs in to')

/** The authenticator's response to a registration, with WebAuthn's field names. */
export const PasskeyAttestation = Type.Object({
  credentialId: Opaque(2048, { description: 'base64url' }),
  clientDataJson: Secret(Opaque(16384, { description: 'base64url' })),
  attestationObject: Secret(Opaque(65536, { description: 'base64url' })),
  transports: Type.Optional(
    Type.Array(Opaque(64, { knownWords: ['usb', 'nfc', 'ble', 'internal', 'hybrid', 'smart-card'] }), {
      maxItems: 16,
      description: 'The result of getTransports()',
    }),
  ),
})

export const EmailOtpCreateRequest = Type.Object({ type: Tag('EMAIL_OTP'), accountId })

export const SmsOtpCreateRequest = Type.Object({
  type: Tag('SMS_OTP'),
  accountId,
  phoneNumber: Type.Optional(PhoneNumber),
})

export const OauthCreateRequest = Type.Object({
  type: Tag('OAUTH'),
  accountId,
  oidcToken: Secret(Opaque(16384, { description: 'A fresh OIDC ID token of the identity to register' })),
})

export const PasskeyCreateRequest = Type.Object({
  type: Tag('PASSKEY'),
  accountId,
  nickname: Text(255, { description: "The customer's name for this passkey" }),
  challenge: Opaque(1024, { description: "The registration challenge that the platform's backend issued" }),
  attestation: PasskeyAttestation,
})

/** Registration requests, distinguished by `type` (specification 4.1). */
export const CredentialCreateRequest = OneOf('type', [
  EmailOtpCreateRequest,
  SmsOtpCreateRequest,
  OauthCreateRequest,
  PasskeyCreateRequest,
])

/** Adds a credential to a wallet. */
export const credential_create = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/auth/credentials',
  tag: 'Wallet sign-in',
  summary: 'Register a credential',
  description:
    'Adds a way to sign in to a wallet. The first credential of a wallet is registered immediately. A further ' +
    'credential returns 202 and is registered by the signed retry, signed by an active session of a ' +
    'credential that the wallet already has.',
  signed: true,
  body: CredentialCreateRequest,
  bodyBytesMax: 96 * KIB,
  responses: { 201: CreatedAuthMethod, 202: SignedRequestChallenge },
  errors: [
    'INVALID_INPUT',
    'ACCOUNT_NOT_FOUND',
    'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
    'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
    'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
    'OAUTH_CREDENTIAL_ALREADY_EXISTS',
    'RATE_LIMITED',
    'CUSTOMER_DELETED',
    'NOT_IMPLEMENTED',
  ],
})

/** Revokes a credential and its sessions (specification 4.3). */
export const credential_delete = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'DELETE',
  path: '/auth/credentials/{id}',
  tag: 'Wallet sign-in',
  summary: 'Revoke a credential',
  description:
    'Removes a credential from a wallet. Signed by an active session of another credential of the same ' +
    'wallet. The last credential of a wallet cannot be revoked.',
  signed: true,
  params: Type.Object({ id: PathId }),
  responses: { 202: SignedRequestChallenge, 204: null },
  errors: ['INVALID_INPUT', 'CREDENTIAL_NOT_FOUND'],
})

export const credentialRegistration = { credential_create, credential_delete }
