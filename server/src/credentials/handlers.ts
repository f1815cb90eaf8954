import { timingSafeEqual } from 'node:crypto'
import type {
  credential_challenge,
  credential_list,
  credential_verify,
} from '@countersign/contract/credentials'
import { findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import type { CredentialRow } from '../db/tables.ts'
import { update } from '../db/writes.ts'
import { ApiError, fieldError, type Handler, type SignedHandler } from '../operation.ts'
import { makeSession, sessionView } from '../sessions/sessions.ts'
import { checkChallengeRate, codeMac, credentialView, makeOtpChallenge, OTP_TRIES_MAX } from './credentials.ts'
import { countTry, selectCredential, selectCredentials } from './store.ts'

const VERIFY_SECONDS = 5 * 60

export const credentialList: Handler<typeof credential_list> = async (op, { query }) => {
  const account = await findInternalAccount(op, query.accountId)
  const credentials = await selectCredentials(op, account.id)
  return { status: 200, body: { data: credentials.map(credentialView) } }
}

export const credentialChallenge: Handler<typeof credential_challenge> = async (op, { params }) => {
  const credential = await findOtpCredential(op, params.id)
  await checkChallengeRate(op, credential)
  const account = await findInternalAccount(op, credential.account_id)
  // Sandbox sends nothing (specification 5.6); production has no way to send yet, and must not pretend to.
  if (op.mode === 'production')
    throw new ApiError('NOT_IMPLEMENTED', { message: 'This server has no way to deliver one-time codes.' })
  const { bundle, writes } = makeOtpChallenge(op, credential, account)
  return {
    status: 200,
    body: { ...credentialView(credential), type: credential.type, otpEncryptionTargetBundle: bundle },
    writes,
  }
}

/** Two legs (specification 4.5): the code is checked at the first, the session is made at the second. */
export const credentialVerify: SignedHandler<typeof credential_verify> = {
  async authorize(op, { params, body }) {
    const credential = await findOtpCredential(op, params.id)
    if (body.type !== credential.type)
      throw fieldError('INVALID_INPUT', 'type', `This credential is of type ${credential.type}`)
    const { challengeId, publicKey } = await openCode(op, credential, body.encryptedOtpBundle)
    const expiresAt = plusSeconds(op.now, VERIFY_SECONDS)
    const payload = op.enclave.signOtpToken({
      id: challengeId,
      verificationType: credential.type,
      contact: credential.contact ?? credential.nickname,
      organizationId: credential.account_id,
      publicKey,
      expiresAt,
    })
    const context = { credentialId: credential.id, challengeId }
    const challenge = { type: credential.type }
    return { accountId: credential.account_id, payload, signerPublicKey: publicKey, context, expiresAt, challenge }
  },

  async handle(op, { params, approval }) {
    if (!approval) throw new Error('A verify without its second leg')
    const { credentialId, challengeId } = approval.context as { credentialId: string; challengeId: string }
    const credential = await findOtpCredential(op, params.id)
    if (credential.id !== credentialId || credential.current_challenge_id !== challengeId)
      throw new ApiError('UNAUTHORIZED', { reason: 'Code used or replaced' })
    const live = { current_challenge_id: challengeId, revoked_at: null }
    const { row, write } = makeSession(op, credential, approval.publicKey)
    return {
      status: 200,
      body: sessionView(row, credential),
      writes: [
        update('credentials', credential.id, live, { current_challenge_id: null }),
        update('otp_challenges', challengeId, { consumed_at: null }, { consumed_at: op.now }),
        write,
      ],
    }
  },
}

/**
 * Opens a sealed code and checks it, after counting the try. A bundle that does not open, a wrong code, an expired or
 * used one and one too many tries all look the same: 401 `UNAUTHORIZED`, reason `Invalid OTP code`.
 */
async function openCode(op: Op, credential: CredentialRow, bundle: string) {
  const refused = () => new ApiError('UNAUTHORIZED', { reason: 'Invalid OTP code' })
  const challengeId = credential.current_challenge_id
  if (!challengeId) throw refused()
  const challenge = await countTry(op, challengeId, OTP_TRIES_MAX)
  if (!challenge) throw refused()
  const opened = op.enclave.openOtpBundle(challengeId, challenge.sealed_target_key, bundle)
  if (!opened) throw refused()
  if (!timingSafeEqual(codeMac(op, challengeId, opened.code), challenge.code_mac)) throw refused()
  return { challengeId, publicKey: opened.publicKey }
}

/** Codes are the one kind of credential that this server verifies so far. */
async function findOtpCredential(op: Op, id: string): Promise<CredentialRow & { type: 'EMAIL_OTP' }> {
  const credential = await selectCredential(op, id)
  if (!credential) throw new ApiError('CREDENTIAL_NOT_FOUND', { details: { field: 'id' } })
  if (credential.type !== 'EMAIL_OTP') throw new Error(`A credential of type ${credential.type}`)
  return { ...credential, type: credential.type }
}
