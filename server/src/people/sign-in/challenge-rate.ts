import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { selectUnusedSignIns } from '../../kernel/signing/signing.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'
import { selectChallengeTimes } from './store.ts'

/** Limits how often a sign-in can start (specification 4.4, 8). */

/** The maximum number of codes or challenges per period. */
export interface CodeRate {
  readonly codesMax: number
  readonly seconds: number
}

export const CODE_RATE: CodeRate = { codesMax: 5, seconds: 10 * 60 }

/**
 * Throws 429 `RATE_LIMITED` with `Retry-After` if five codes of this kind were issued for a wallet within ten
 * minutes, even if to different credentials.
 */
export async function checkCodeRate(
  op: Op,
  credential: Pick<CredentialRow, 'account_id' | 'type'>,
): Promise<void> {
  const since = addSeconds(op.now, -CODE_RATE.seconds)
  checkRate(op, await selectChallengeTimes(op, credential, since, CODE_RATE.codesMax), CODE_RATE)
}

/**
 * Throws 429 `RATE_LIMITED` with `Retry-After` if five challenges of a passkey were left unused within ten
 * minutes. Signing in uses the challenge, so successful attempts do not count.
 */
export async function checkPasskeyRate(op: Op, verifyCall: string): Promise<void> {
  const { codesMax, seconds } = CODE_RATE
  const times = await selectUnusedSignIns(op, verifyCall, addSeconds(op.now, -seconds), codesMax)
  checkRate(op, times, CODE_RATE)
}

/**
 * Throws 429 `RATE_LIMITED` with `Retry-After`. `times` are the latest challenges in the period, newest
 * first.
 */
export function checkRate(op: Op, times: readonly Date[], { codesMax, seconds }: CodeRate): void {
  const oldest = times[codesMax - 1]
  if (!oldest) return
  const waitMs = addSeconds(oldest, seconds).getTime() - op.now.getTime()
  throw new ApiError('RATE_LIMITED', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
