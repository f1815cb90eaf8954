import { timingSafeEqual } from 'node:crypto'
import { SANDBOX_OTP_CODE } from '../../kernel/magic-values/magic-values.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { OtpChallengeRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { CODE_FAILURES_MAX, createCodesLockedError, lockCodes } from '../credentials/code-failures.ts'
import type { DeliveryChannel } from '../credentials/credentials.ts'
import { makeOtpMessage } from '../messages/messages.ts'
import { getPlatformConfig } from '../platforms/platform-config.ts'
import { countAttempt } from './store.ts'

/** One-time codes (specification 4.4, 4.5, 5.6). */

/** A credential whose codes are delivered to its contact. */
export type OtpCredential = CredentialRow & { readonly type: DeliveryChannel; readonly contact: string }

const ATTEMPTS_MAX = 5
export const DIGITS = '0123456789'
const WRONG_CODE =
  'The code is wrong, expired, was already used, or was replaced by a newer one. Request a new one.'
/** Excludes letters and digits that are easily confused. */
export const ALPHANUMERICS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A new code with its target bundle and its write. The credential refers to it by `challengeId`. */
export interface NewOtpChallenge {
  readonly challengeId: string
  readonly bundle: string
  readonly code: string
  readonly write: Write
}

/** A code that will be sent to the credential's contact. */
export interface SentCode {
  readonly challengeId: string
  readonly bundle: string
  /** The challenge, and the message with its code. */
  readonly writes: readonly Write[]
}

/**
 * Sends a new code by e-mail or SMS. The previous code stays valid until the credential refers to the new
 * one.
 */
export function sendOneTimeCode(op: Op, credential: CredentialRow, account: InternalAccountRow): SentCode {
  const challenge = makeOtpChallenge(op, credential, account)
  const { challengeId, bundle, write } = challenge
  return { challengeId, bundle, writes: [write, ...makeOtpMessage(op, credential, account, challenge)] }
}

/**
 * Makes a new code for a credential. The previous code stays valid until the credential refers to the new
 * one.
 */
export function makeOtpChallenge(
  op: Op,
  credential: CredentialRow,
  account: InternalAccountRow,
): NewOtpChallenge {
  const challengeId = op.newId('Challenge')
  const code = makeCode(op)
  const target = op.enclave.newOtpTarget({
    challengeId,
    organizationId: account.id,
    userId: account.customer_id ?? op.platform.id,
  })
  const row: OtpChallengeRow = {
    id: challengeId,
    platform_id: op.platform.id,
    credential_id: credential.id,
    target_public_key: target.publicKey,
    sealed_target_key: target.sealedKey,
    code_mac: computeMac(op, challengeId, code),
    tries: 0,
    expires_at: addSeconds(op.now, getPlatformConfig(op).embeddedWalletConfig.expirationSeconds),
    consumed_at: null,
    created_at: op.now,
  }
  return { challengeId, bundle: target.bundle, code, write: insert('otp_challenges', row) }
}

/**
 * Makes a challenge the current one of its credential. Guard: the credential has had no other challenge in
 * the meantime, so that each of them is counted.
 */
export function replaceChallenge(op: Op, credential: CredentialRow, challengeId: string): Write {
  const change = { current_challenge_id: challengeId, version: credential.version + 1, updated_at: op.now }
  return update('credentials', credential.id, { version: credential.version, revoked_at: null }, change)
}

/**
 * Counts an attempt, then decrypts and checks a code. An unreadable bundle, a wrong, expired or used code and
 * too many attempts throw the same error: 401 `UNAUTHORIZED`, reason `Invalid OTP code`, detail
 * `INVALID_OTP_CODE`. Throws 403 `CODE_SIGN_IN_LOCKED` for a wallet with a hundred wrong codes.
 */
export async function openCode(
  op: Op,
  credential: CredentialRow,
  bundle: string,
): Promise<{ readonly challengeId: string; readonly publicKey: string }> {
  const createCodeError = (writes: readonly Write[] = []) =>
    new ApiError('UNAUTHORIZED', {
      message: WRONG_CODE,
      reason: 'Invalid OTP code',
      details: { code: 'INVALID_OTP_CODE' },
      writes,
    })
  const challengeId = credential.current_challenge_id
  if (!challengeId) throw createCodeError()
  const challenge = await countAttempt(
    op,
    challengeId,
    credential.account_id,
    ATTEMPTS_MAX,
    CODE_FAILURES_MAX,
  )
  if (!challenge) throw createCodeError()
  if (challenge.failures === null) throw createCodesLockedError()
  const createWrongCodeError = () =>
    createCodeError(challenge.failures === CODE_FAILURES_MAX ? lockCodes(op, credential) : [])
  const opened = op.enclave.openOtpBundle(challengeId, challenge.sealed_target_key, bundle)
  if (!opened) throw createWrongCodeError()
  if (!timingSafeEqual(computeMac(op, challengeId, opened.code), challenge.code_mac))
    throw createWrongCodeError()
  return { challengeId, publicKey: opened.publicKey }
}

/** Draws a random code in production. The sandbox, which sends no messages, has a fixed code. */
function makeCode(op: Op): string {
  if (op.mode === 'sandbox') return SANDBOX_OTP_CODE
  const { otpLength, alphanumeric } = getPlatformConfig(op).embeddedWalletConfig
  const letters = alphanumeric ? ALPHANUMERICS : DIGITS
  return drawCode(op, letters, otpLength)
}

/** Draws a random code from these characters. */
export function drawCode(op: Op, letters: string, length: number): string {
  return Array.from({ length }, () => letters[randomBelow(op, letters.length)]).join('')
}

/** Draws a uniformly distributed number below `bound`. Discards bytes that would favor small numbers. */
export function randomBelow(op: Op, bound: number): number {
  const ceiling = 256 - (256 % bound)
  for (;;) {
    for (const byte of op.random(1)) if (byte < ceiling) return byte % bound
  }
}

/** Computes the stored form of a code: a MAC bound to its challenge. */
function computeMac(op: Op, challengeId: string, code: string): Uint8Array {
  return op.enclave.mac('otp', `${challengeId} ${code}`)
}
