import { type Op, plusSeconds } from '../app.ts'
import type { CredentialRow, InternalAccountRow, OtpChallengeRow } from '../db/tables.ts'
import { insert, update, type Write } from '../db/writes.ts'
import { ApiError } from '../operation.ts'
import { platformConfig } from '../platforms/platforms.ts'
import { SANDBOX_OTP_CODE } from '../sandbox/magic-values.ts'
import { selectChallengeTimes } from './store.ts'

/** The rules of one-time codes (specification 4.4, 4.5, 5.6). */
export const OTP_TRIES_MAX = 5
const CHALLENGES_MAX = 5
const CHALLENGES_WINDOW_SECONDS = 10 * 60
const DIGITS = '0123456789'
/** Without letters and digits that people confuse. */
const ALPHANUMERICS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A new code: random in production, always the same in sandbox, where none is sent. */
export function makeCode(op: Op): string {
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
export function codeMac(op: Op, challengeId: string, code: string): Uint8Array {
  return op.enclave.mac('otp', `${challengeId} ${code}`)
}

/**
 * Error: 429 `RATE_LIMITED` with `Retry-After` once a credential had five challenges within ten minutes. The caller
 * guards with the credential's version, so that challenges issued at the same time are counted too.
 */
export async function checkChallengeRate(op: Op, credential: CredentialRow): Promise<void> {
  const since = plusSeconds(op.now, -CHALLENGES_WINDOW_SECONDS)
  const times = await selectChallengeTimes(op, credential.id, since, CHALLENGES_MAX)
  const oldest = times[CHALLENGES_MAX - 1]
  if (!oldest) return
  const waitMs = plusSeconds(oldest, CHALLENGES_WINDOW_SECONDS).getTime() - op.now.getTime()
  throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } })
}

/** A new code for a credential; it takes the place of the one before. */
export function makeOtpChallenge(
  op: Op,
  credential: CredentialRow,
  account: InternalAccountRow,
): { readonly bundle: string; readonly code: string; readonly writes: Write[] } {
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
  const change = { current_challenge_id: challengeId, version: credential.version + 1, updated_at: op.now }
  return {
    bundle: target.bundle,
    code,
    writes: [
      insert('otp_challenges', row),
      update('credentials', credential.id, { version: credential.version, revoked_at: null }, change),
    ],
  }
}

/** A credential as the API shows it (specification 2.1). */
export function credentialView(credential: CredentialRow) {
  return {
    id: credential.id,
    accountId: credential.account_id,
    type: credential.type,
    nickname: credential.nickname,
    createdAt: credential.created_at.toISOString(),
    updatedAt: credential.updated_at.toISOString(),
  }
}
