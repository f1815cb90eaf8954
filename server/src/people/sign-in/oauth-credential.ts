import { TEXT_FORMS } from '@countersign/contract/core/schema'
import {
  checkClaims,
  computeNonce,
  computeTokenFingerprint,
  type Identity,
  readIdToken,
} from '../../base/crypto/oidc/oidc.ts'
import { type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { checkClientPublicKey } from '../../kernel/signing/client-key.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import { findCredentials, makeOauthCredential } from '../credentials/credentials.ts'
import { getPlatformConfig } from '../platforms/platform-config.ts'
import { type CredentialKind, narrowBody } from './credential-kind.ts'
import { makeSession, toSessionView } from './sessions.ts'
import { isIdTokenUsed } from './store.ts'

const TOKEN_AGE_SECONDS_MAX = 60
/**
 * The allowed difference between the issuer's clock and ours. The specification sets it for the sandbox (5.5,
 * 8); production uses the same value.
 */
const SKEW_SECONDS = 5

/** Identity tokens of OpenID providers (specification 4.1, 4.5, 5.5). A token can be used only once. */
export const oauth: CredentialKind = {
  async register(op, account, body) {
    const { oidcToken } = narrowBody(body, 'OAUTH')
    const { identity, use } = await checkToken(op, oidcToken, undefined)
    if (![identity.subject, identity.email ?? ''].every((text) => TEXT_FORMS.line.test(text)))
      throw createFieldError(
        'INVALID_INPUT',
        'oidcToken',
        'oidcToken identifies its holder with unprintable characters',
      )
    const existing = await findCredentials(op, account.id)
    if (existing.some((one) => one.type === 'OAUTH' && isSameIdentity(one, identity)))
      throw new ApiError('OAUTH_CREDENTIAL_ALREADY_EXISTS')
    return { credential: makeOauthCredential(op, account.id, identity), writes: [use] }
  },

  async challenge() {
    throw new ApiError('INVALID_INPUT', {
      message: 'An OAUTH credential has no challenge. Verify it with a fresh identity token.',
      details: { field: 'id' },
    })
  },

  async toSign() {
    return null
  },

  async signIn(op, credential, body) {
    const { oidcToken, clientPublicKey } = narrowBody(body, 'OAUTH')
    checkClientPublicKey(clientPublicKey)
    const { identity, use } = await checkToken(op, oidcToken, computeNonce(clientPublicKey))
    if (!isSameIdentity(credential, identity)) throw createTokenError('Token is for another identity')
    const key = op.enclave.newSessionKey(clientPublicKey)
    const { row, write } = makeSession(op, credential, key.publicKey)
    return {
      status: 200,
      body: { ...toSessionView(row, credential), encryptedSessionSigningKey: key.encryptedKey },
      writes: [expectRow('credentials', credential.id, { revoked_at: null }), use, write],
    }
  },
}

/**
 * Checks a token, and returns the identity that it proves with the write that marks it as used. `nonce` is
 * the value to which the token must be bound, if any. Throws 400 `INVALID_INPUT` for text that is not a
 * token, otherwise 401 with the reason.
 */
async function checkToken(
  op: Op,
  token: string,
  nonce: string | undefined,
): Promise<{ readonly identity: Identity; readonly use: Write }> {
  const read = readIdToken(token)
  if (!read) throw createFieldError('INVALID_INPUT', 'oidcToken', 'oidcToken is not a JWT')
  const { issuers } = getPlatformConfig(op).oauthConfig
  const checked = checkClaims(read.claims, {
    // Identity providers use real time, not the sandbox's clock.
    now: toRealTimeOp(op).now,
    issuers,
    maxAgeSeconds: TOKEN_AGE_SECONDS_MAX,
    skewSeconds: SKEW_SECONDS,
    ...(nonce === undefined ? {} : { nonce }),
  })
  if ('failure' in checked) throw createTokenError(checked.reason)
  if (op.mode === 'production') {
    const verified = await op.identityKeys.verify(token, checked.issuer)
    if ('failure' in verified) throw createTokenError(verified.reason)
  }
  const id = buildId('IdToken', deriveUuid(`${op.platform.id} ${computeTokenFingerprint(token)}`))
  if (await isIdTokenUsed(op, id)) throw createTokenError('ID token was used before')
  const use = insert('used_id_tokens', { id, platform_id: op.platform.id, expires_at: checked.usableUntil })
  return { identity: checked, use }
}

function isSameIdentity(
  credential: { oidc_issuer: string | null; oidc_audience: string | null; oidc_subject: string | null },
  { issuer, audience, subject }: Identity,
): boolean {
  return (
    credential.oidc_issuer === issuer &&
    credential.oidc_audience === audience &&
    credential.oidc_subject === subject
  )
}

function createTokenError(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: `The identity token was refused: ${reason}.`, reason })
}
