import { timingSafeEqual } from 'node:crypto'
import { SANDBOX_OTP_CODE } from '../../kernel/magic-values/magic-values.ts'
import { type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { OtpChallengeRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { CODE_FAILURES_MAX, codesLocked, codesLockedWrites } from '../credentials/code-failures.ts'
import type { DeliveryChannel } from '../credentials/credentials.ts'
import { makeOtpMessage } from '../messages/messages.ts'
import { platformConfig } from '../platforms/platform-config.ts'
import { countAttempt } from './store.ts'

/** One-time codes (specification 4.4, 4.5, 5.6). */

/** The kinds of credential that use delivered codes. */
export type OtpCredential = CredentialRow & { readonly type: DeliveryChannel; readonly contact: string }

const ATTEMPTS_MAX = 5
export const DIGITS = '0123456789'
const WRONG_CODE =
  'The code is wrong, or it expired, was used or was replaced by a later one. Request a new one.'
/** Letters and digits that are not easily confused. */
export const ALPHANUMERICS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A new code with its target bundle, its write, and the id by which its credential refers to it. */
export interface NewOtpChallenge {
  readonly challengeId: string
  readonly bundle: string
  readonly code: string
  readonly write: Write
}

/** A code on its way to its credential's contact. */
export interface SentCode {
  readonly challengeId: string
  readonly bundle: string
  /** The challenge, and the e-mail or SMS with its code. */
  readonly writes: readonly Write[]
}

/** Sends a new code by e-mail or SMS. It replaces the previous one once the credential refers to it. */
export function sendOneTimeCode(op: Op, credential: CredentialRow, account: InternalAccountRow): SentCode {
  const challenge = makeOtpChallenge(op, credential, account)
  const { challengeId, bundle, write } = challenge
  return { challengeId, bundle, writes: [write, ...makeOtpMessage(op, credential, account, challenge)] }
}

/** A new code for a credential. It replaces the previous one once the credential refers to it. */
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
    code_mac: codeMac(op, challengeId, code),
    tries: 0,
    expires_at: plusSeconds(op.now, platformConfig(op).embeddedWalletConfig.expirationSeconds),
    consumed_at: null,
    created_at: op.now,
  }
  return { challengeId, bundle: target.bundle, code, write: insert('otp_challenges', row) }
}

/** Makes a challenge the current one of its credential. Guard: no other came in between, so that each is counted. */
export function replaceChallenge(op: Op, credential: CredentialRow, challengeId: string): Write {
  const change = { current_challenge_id: challengeId, version: credential.version + 1, updated_at: op.now }
  return update('credentials', credential.id, { version: credential.version, revoked_at: null }, change)
}

/**
 * Opens a sealed code and checks it, after counting the attempt. A bundle that does not open, a wrong code,
 * an expired or used one and too many attempts all look the same: 401 `UNAUTHORIZED`, reason `Invalid OTP
 * code`, detail `INVALID_OTP_CODE`. A wallet with a hundred wrong codes is refused without a check: 403
 * `CODE_SIGN_IN_LOCKED`.
 */
export async function openCode(
  op: Op,
  credential: CredentialRow,
  bundle: string,
): Promise<{ readonly challengeId: string; readonly publicKey: string }> {
  const codeRefusal = (writes: readonly Write[] = []) =>
    new ApiError('UNAUTHORIZED', {
      message: WRONG_CODE,
      reason: 'Invalid OTP code',
      details: { code: 'INVALID_OTP_CODE' },
      writes,
    })
  const challengeId = credential.current_challenge_id
  if (!challengeId) throw codeRefusal()
  const challenge = await countAttempt(
    op,
    challengeId,
    credential.account_id,
    ATTEMPTS_MAX,
    CODE_FAILURES_MAX,
  )
  if (!challenge) throw codeRefusal()
  if (challenge.failures === null) throw codesLocked()
  const refuseWrongCode = () =>
    codeRefusal(challenge.failures === CODE_FAILURES_MAX ? codesLockedWrites(op, credential) : [])
  const opened = op.enclave.openOtpBundle(challengeId, challenge.sealed_target_key, bundle)
  if (!opened) throw refuseWrongCode()
  if (!timingSafeEqual(codeMac(op, challengeId, opened.code), challenge.code_mac)) throw refuseWrongCode()
  return { challengeId, publicKey: opened.publicKey }
}

/** Random in production; fixed in sandbox, which sends no code. */
function makeCode(op: Op): string {
  if (op.mode === 'sandbox') return SANDBOX_OTP_CODE
  const { otpLength, alphanumeric } = platformConfig(op).embeddedWalletConfig
  const letters = alphanumeric ? ALPHANUMERICS : DIGITS
  return drawCode(op, letters, otpLength)
}

/** A random code made of these letters. */
export function drawCode(op: Op, letters: string, length: number): string {
  return Array.from({ length }, () => letters[randomBelow(op, letters.length)]).join('')
}

/** Draws uniformly: discards bytes that would favor the first letters. */
export function randomBelow(op: Op, bound: number): number {
  const ceiling = 256 - (256 % bound)
  for (;;) {
    for (const byte of op.random(1)) if (byte < ceiling) return byte % bound
  }
}

/** The stored form of a code: a keyed digest, bound to its challenge. */
function codeMac(op: Op, challengeId: string, code: string): Uint8Array {
  return op.enclave.mac('otp', `${challengeId} ${code}`)
}
