import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { ClientPublicKey, OneOf, OneOfWords, Opaque, Tag, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { AuthMethodType, SignedRequestChallenge } from '../core/signed-retry.ts'

/** Fields common to credentials and sessions. `id` and `type` differ. */
export const authMethodFields = {
  accountId: Id('InternalAccount', 'The account that this signs in to'),
  nickname: Type.String({
    description: 'The e-mail address, the phone number or the name of the passkey, depending on the type',
  }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
}

const PasskeyCredentialId = Type.String({ description: 'PASSKEY only: the raw WebAuthn id, base64url' })

/** A credential of an account (specification 2.1). */
export const AuthMethod = Type.Object({
  id: Id('AuthMethod'),
  type: AuthMethodType,
  ...authMethodFields,
  credentialId: Type.Optional(PasskeyCredentialId),
})

const otpEncryptionTargetBundle = Type.Optional(
  Secret(
    Type.String({
      description: 'EMAIL_OTP and SMS_OTP: the HPKE recipient to seal the code to. Valid for one code',
    }),
  ),
)

/**
 * The response to a registration. No additional fields are allowed, so that it cannot be mistaken for a
 * passkey challenge.
 */
export const CreatedAuthMethod = Type.Object(
  {
    id: Id('AuthMethod'),
    type: AuthMethodType,
    ...authMethodFields,
    credentialId: Type.Optional(PasskeyCredentialId),
    otpEncryptionTargetBundle,
  },
  { additionalProperties: false },
)

/** The response to a challenge of a one-time code credential: the key to which the code must be sealed. */
export const OtpAuthChallenge = Type.Object(
  {
    id: Id('AuthMethod'),
    type: OneOfWords(['EMAIL_OTP', 'SMS_OTP', 'OAUTH']),
    ...authMethodFields,
    otpEncryptionTargetBundle,
  },
  { additionalProperties: false },
)

/** The response to a challenge of a passkey (specification 2.4). */
export const PasskeyAuthChallenge = Type.Object({
  id: Id('AuthMethod'),
  type: Tag('PASSKEY'),
  ...authMethodFields,
  credentialId: PasskeyCredentialId,
  challenge: Type.String({
    description:
      'Lower-case hex: the SHA-256 of payloadToSign. The WebAuthn challenge is the UTF-8 bytes of this text, not ' +
      'the bytes that the hex stands for',
  }),
  payloadToSign: Type.String({
    description:
      'The text that the assertion signs. It names the account, the credential and the clientPublicKey that the ' +
      'session will be sealed to. Check them and hash exactly these characters before you ask the authenticator',
  }),
  requestId: Id('Request', 'Send it in the Request-Id header of the verify call, once'),
  expiresAt: Timestamp(),
})

const Base64Url = (maxLength: number) => Opaque(maxLength, { description: 'base64url' })

/** The authenticator's response to a challenge, with WebAuthn's field names. */
export const PasskeyAssertion = Type.Object({
  credentialId: Base64Url(2048),
  clientDataJson: Secret(Base64Url(16384)),
  authenticatorData: Secret(Base64Url(16384)),
  signature: Secret(Base64Url(2048)),
  userHandle: Type.Optional(Base64Url(512)),
})

const encryptedOtpBundle = Secret(
  Opaque(4096, {
    description:
      'JSON text {encappedPublic, ciphertext}: HPKE of {otp_code, public_key} to otpEncryptionTargetBundle',
  }),
)

export const EmailOtpVerifyRequest = Type.Object({ type: Tag('EMAIL_OTP'), encryptedOtpBundle })

export const SmsOtpVerifyRequest = Type.Object({ type: Tag('SMS_OTP'), encryptedOtpBundle })

export const OauthVerifyRequest = Type.Object({
  type: Tag('OAUTH'),
  oidcToken: Secret(
    Opaque(16384, {
      description: 'A fresh OIDC ID token; its nonce is the hash of clientPublicKey',
    }),
  ),
  clientPublicKey: ClientPublicKey,
})

export const PasskeyVerifyRequest = Type.Object({ type: Tag('PASSKEY'), assertion: PasskeyAssertion })

/** Verify requests, distinguished by `type` (specification 4.5). */
export const CredentialVerifyRequest = OneOf('type', [
  EmailOtpVerifyRequest,
  SmsOtpVerifyRequest,
  OauthVerifyRequest,
  PasskeyVerifyRequest,
])

/** A session of an account (specification 2.2). */
export const AuthSession = Type.Object({
  id: Id('Session'),
  type: AuthMethodType,
  ...authMethodFields,
  credentialId: Type.Optional(PasskeyCredentialId),
  expiresAt: Timestamp('From this time on, signatures of this session are refused'),
  encryptedSessionSigningKey: Type.Optional(
    Secret(
      Type.String({
        description:
          'OAUTH and PASSKEY, only in the response that issues the session: base58check of the 33-byte encapsulated key ' +
          'and the HPKE ciphertext, sealed to clientPublicKey',
      }),
    ),
  ),
})

const credentialPath = Type.Object({ id: PathId })

/** All credentials of an account in order of creation. Not paginated (specification 4.2). */
export const credential_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/auth/credentials',
  tag: 'Wallet sign-in',
  summary: 'List the credentials of an account',
  description:
    'Lists the credentials of one account in order of creation, all in one response. A wallet page ' +
    'offers these to sign in.',
  query: Type.Object({ accountId: Id('InternalAccount') }),
  responses: { 200: Type.Object({ data: Type.Array(AuthMethod) }) },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})

/** Starts a sign-in: sends a code or returns a WebAuthn challenge (specification 4.4). */
export const credential_challenge = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/auth/credentials/{id}/challenge',
  tag: 'Wallet sign-in',
  summary: 'Start a sign-in',
  description:
    'Begins a sign-in with a credential. For EMAIL_OTP and SMS_OTP it sends a new code and invalidates ' +
    'earlier ones; for PASSKEY it returns the challenge for the assertion, and clientPublicKey is ' +
    'required. OAUTH credentials need no challenge.',
  params: credentialPath,
  body: Type.Object({
    clientPublicKey: Type.Optional(
      Type.Unsafe<unknown>({
        ...ClientPublicKey,
        judgedByHandler: true,
        description: 'PASSKEY: required, an uncompressed SEC1 P-256 public key in hex. Otherwise ignored',
      }),
    ),
  }),
  bodyOptional: true,
  responses: { 200: OneOf('type', [OtpAuthChallenge, PasskeyAuthChallenge]) },
  errors: ['INVALID_INPUT', 'CODE_SIGN_IN_LOCKED', 'CREDENTIAL_NOT_FOUND', 'RATE_LIMITED'],
})

/** Finishes a sign-in and issues a session (specification 4.5). */
export const credential_verify = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/auth/credentials/{id}/verify',
  tag: 'Wallet sign-in',
  summary: 'Finish a sign-in',
  description:
    "Checks the customer's proof and returns a session, which signs for the wallet until it expires. " +
    'EMAIL_OTP and SMS_OTP take two calls: the first returns 202, the second repeats it with a stamp by ' +
    'the key sealed in the bundle. OAUTH takes one call; PASSKEY takes one, with its Request-Id.',
  signed: true,
  params: credentialPath,
  body: CredentialVerifyRequest,
  bodyBytesMax: 48 * KIB,
  responses: { 200: AuthSession, 202: SignedRequestChallenge },
  errors: [
    'INVALID_INPUT',
    'UNAUTHORIZED',
    'REQUEST_ID_MISSING',
    'WALLET_SIGNATURE_INVALID',
    'CODE_SIGN_IN_LOCKED',
    'CREDENTIAL_NOT_FOUND',
    'RATE_LIMITED',
  ],
})

export const credentials = { credential_list, credential_challenge, credential_verify }
