import { timingSafeEqual } from 'node:crypto'
import { CODE_FAILURES_MAX, codesLocked, codesLockedWrites } from '../credentials/code-failures.ts'
import type { DeliveryChannel } from '../credentials/credentials.ts'
import { insert, update, type Write } from '../db/commit/writes.ts'
import type { OtpChallengeRow } from '../db/schema/sign-in-tables.ts'
import type { CredentialRow, InternalAccountRow } from '../db/schema/tables.ts'
import { SANDBOX_OTP_CODE } from '../magic-values/magic-values.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { platformConfig } from '../platforms/platforms.ts'
import { countTry } from './store.ts'

/** One-time codes (specification 4.4, 4.5, 5.6). */

/** The kinds of credential whose codes are delivered. */
export type OtpCredential = CredentialRow & { readonly type: DeliveryChannel; readonly contact: string }

const TRIES_MAX = 5
const DIGITS = '0123456789'
const WRONG_CODE =
  'The code is wrong, or it expired, was used or was replaced by a later one. Request a new one.'
/** Without letters and digits that people confuse. */
const ALPHANUMERICS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A new code and where to seal it; its write, and the id under which its credential knows it. */
export interface NewOtpChallenge {
  readonly challengeId: string
  readonly bundle: string
  readonly code: string
  readonly write: Write
}

/** A new code for a credential. It takes the place of the one before once the credential names it. */
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

/** Makes a challenge the credential's own. Guard: no other came in between, so that each of them is counted. */
export function replaceChallenge(op: Op, credential: CredentialRow, challengeId: string): Write {
  const change = { current_challenge_id: challengeId, version: credential.version + 1, updated_at: op.now }
  return update('credentials', credential.id, { version: credential.version, revoked_at: null }, change)
}

/**
 * Opens a sealed code and checks it, after counting the try. A bundle that does not open, a wrong code, an expired or
 * used one and one too many tries all look the same: 401 `UNAUTHORIZED`, reason `Invalid OTP code`. Of a wallet that had
 * its hundred wrong codes none is looked at: 403 `CODE_SIGN_IN_LOCKED`.
 */
export async function openCode(
  op: Op,
  credential: CredentialRow,
  bundle: string,
): Promise<{ readonly challengeId: string; readonly publicKey: string }> {
  const refused = (writes: readonly Write[] = []) =>
    new ApiError('UNAUTHORIZED', { message: WRONG_CODE, reason: 'Invalid OTP code', writes })
  const challengeId = credential.current_challenge_id
  if (!challengeId) throw refused()
  const challenge = await countTry(op, challengeId, credential.account_id, TRIES_MAX, CODE_FAILURES_MAX)
  if (!challenge) throw refused()
  if (challenge.failures === null) throw codesLocked()
  const wrong = () =>
    refused(challenge.failures === CODE_FAILURES_MAX ? codesLockedWrites(op, credential) : [])
  const opened = op.enclave.openOtpBundle(challengeId, challenge.sealed_target_key, bundle)
  if (!opened) throw wrong()
  if (!timingSafeEqual(codeMac(op, challengeId, opened.code), challenge.code_mac)) throw wrong()
  return { challengeId, publicKey: opened.publicKey }
}

/** Random in production; always the same in sandbox, where none is sent. */
function makeCode(op: Op): string {
  if (op.mode === 'sandbox') return SANDBOX_OTP_CODE
  const { otpLength, alphanumeric } = platformConfig(op).embeddedWalletConfig
  const letters = alphanumeric ? ALPHANUMERICS : DIGITS
  return Array.from({ length: otpLength }, () => letters[randomBelow(op, letters.length)]).join('')
}

/** Uniform: bytes that would favour the first letters are thrown away. */
function randomBelow(op: Op, bound: number): number {
  const ceiling = 256 - (256 % bound)
  for (;;) {
    const byte = op.random(1)[0]!
    if (byte < ceiling) return byte % bound
  }
}

/** What is kept of a code: a keyed digest, bound to its challenge. */
function codeMac(op: Op, challengeId: string, code: string): Uint8Array {
  return op.enclave.mac('otp', `${challengeId} ${code}`)
}
