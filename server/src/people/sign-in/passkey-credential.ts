import { createHash } from 'node:crypto'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { SANDBOX_PASSKEY_SIGNATURE } from '../../kernel/magic-values/magic-values.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { checkClientPublicKey } from '../../kernel/signing/client-key.ts'
import { issueRequest, SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'
import { makePasskeyCredential, toCredentialView } from '../credentials/credentials.ts'
import { describeCredential, toSignedCredential } from '../credentials/describe.ts'
import { getPlatformConfig } from '../platforms/platform-config.ts'
import { checkPasskeyRate } from './challenge-rate.ts'
import { type CredentialKind, narrowBody } from './credential-kind.ts'
import { makeSession, toSessionView } from './sessions.ts'
import { isPasskeyRegistered } from './store.ts'

/**
 * Passkeys (specification 4.1, 4.4, 4.5, 5.4). The challenge is the hash of a payload that creates a session
 * and contains the credential and the client's key. So an assertion is valid only for one session with that
 * key.
 */
export const passkey: CredentialKind = {
  async register(op, account, body) {
    const { nickname, challenge, attestation } = narrowBody(body, 'PASSKEY')
    const { verifyRegistration } = await import('../../base/crypto/webauthn/webauthn.ts')
    const verified = await verifyRegistration({ ...attestation, challenge, ...readRelyingParty(op) })
    if ('failure' in verified)
      throw createFieldError(
        'INVALID_INPUT',
        'attestation',
        `The attestation was refused: ${verified.reason}.`,
      )
    if (await isPasskeyRegistered(op, verified.credentialId))
      throw new ApiError('PASSKEY_CREDENTIAL_ALREADY_EXISTS')
    return { credential: makePasskeyCredential(op, account.id, nickname, verified), writes: [] }
  },

  async challenge(op, credential, clientPublicKey) {
    if (clientPublicKey === undefined)
      throw createFieldError('INVALID_INPUT', 'clientPublicKey', 'clientPublicKey is required for a passkey')
    if (typeof clientPublicKey !== 'string')
      throw createFieldError('INVALID_INPUT', 'clientPublicKey', 'clientPublicKey must be a string')
    checkClientPublicKey(clientPublicKey)
    const account = await findInternalAccount(op, credential.account_id)
    const call = {
      operation: 'credential_verify',
      target: `POST /auth/credentials/${credential.id}/verify`,
      body: undefined,
    }
    await checkPasskeyRate(op, call.target)
    const request = issueRequest(op, call, {
      accountId: account.id,
      statement: {
        operation: 'credential_verify',
        summary: `Sign in to this wallet with ${describeCredential(credential)}`,
        credential: toSignedCredential(credential),
        clientPublicKey,
      },
      context: { clientPublicKey },
      expiresAt: addSeconds(op.now, SIGNING_SECONDS),
    })
    return {
      status: 200,
      body: {
        ...toCredentialView(credential),
        type: 'PASSKEY',
        credentialId: requireColumn(credential, 'webauthn_id'),
        challenge: toChallenge(request.payloadToSign),
        payloadToSign: request.payloadToSign,
        requestId: request.requestId,
        expiresAt: request.expiresAt.toISOString(),
      },
      // Guard: the credential has had no other challenge in the meantime, so that each of them is counted.
      writes: [
        request.write,
        update(
          'credentials',
          credential.id,
          { version: credential.version, revoked_at: null },
          { version: credential.version + 1 },
        ),
      ],
    }
  },

  async toSign() {
    throw new ApiError('REQUEST_ID_MISSING', { reason: 'Missing Request-Id' })
  },

  async prove(op, credential, body, request) {
    const { assertion } = narrowBody(body, 'PASSKEY')
    if (op.mode === 'sandbox' && assertion.signature === SANDBOX_PASSKEY_SIGNATURE) {
      if (assertion.credentialId !== credential.webauthn_id) throw createPasskeyError('Unknown passkey')
      return { signCount: Number(credential.webauthn_sign_count) }
    }
    const { verifyAssertion } = await import('../../base/crypto/webauthn/webauthn.ts')
    const verified = verifyAssertion({
      assertion,
      stored: {
        credentialId: requireColumn(credential, 'webauthn_id'),
        publicKey: requireColumn(credential, 'webauthn_public_key'),
        counter: Number(credential.webauthn_sign_count),
      },
      challenge: toChallenge(request.payload),
      ...readRelyingParty(op),
    })
    if (!('failure' in verified)) return { signCount: verified.newCounter }
    const isMaybeCopied = verified.failure === 'counter'
    throw createPasskeyError(
      verified.reason,
      isMaybeCopied ? reportSignCount(op, credential, request.id) : [],
    )
  },

  async signIn(op, credential, _body, approval) {
    if (!approval) throw new Error('The passkey was verified without its proof')
    const { clientPublicKey, signCount } = approval.context
    if (typeof clientPublicKey !== 'string' || typeof signCount !== 'number')
      throw new Error(`${approval.requestId} lacks a key or a signature count`)
    const key = op.enclave.newSessionKey(clientPublicKey)
    const { row, write } = makeSession(op, credential, key.publicKey)
    const expected = { webauthn_sign_count: credential.webauthn_sign_count, revoked_at: null }
    return {
      status: 200,
      body: { ...toSessionView(row, credential), encryptedSessionSigningKey: key.encryptedKey },
      writes: [
        update('credentials', credential.id, expected, { webauthn_sign_count: BigInt(signCount) }),
        write,
      ],
    }
  },
}

/** Computes the SHA-256 of the payload in lower-case hex (formats 5). */
function toChallenge(payload: string): string {
  return createHash('sha256').update(payload).digest('hex')
}

/** Reads the platform's relying party. Throws 400 if the platform has no passkeyConfig. */
function readRelyingParty(op: Op) {
  const { passkeyConfig } = getPlatformConfig(op)
  if (!passkeyConfig)
    throw createFieldError(
      'INVALID_INPUT',
      'type',
      'Set passkeyConfig in the settings before using passkeys.',
    )
  const { rpId, origins, userVerification } = passkeyConfig
  return { rpId, origins, requireUserVerification: userVerification === 'required' }
}

function createPasskeyError(reason: string, writes: readonly Write[] = []): ApiError {
  return new ApiError('UNAUTHORIZED', { message: `The passkey was refused: ${reason}.`, reason, writes })
}

/**
 * A counter that does not increase may mean that the passkey was copied. Notifies the platform and uses up
 * the challenge, so that it is notified once.
 */
function reportSignCount(op: Op, credential: CredentialRow, requestId: string): Write[] {
  return [
    update('signing_requests', requestId, { consumed_at: null }, { consumed_at: op.now }),
    event(op, 'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED', credential.id, toCredentialView(credential)),
  ]
}
