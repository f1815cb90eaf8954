import type { CredentialRow } from '../db/schema/tables.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { unansweredSignIns } from '../signing/signing.ts'
import { selectChallengeTimes } from './store.ts'

/** Limits how often a sign-in may be started (specification 4.4, 8). */

const CHALLENGES_MAX = 5
const WINDOW_SECONDS = 10 * 60

/**
 * Error: 429 `RATE_LIMITED` with `Retry-After` once five codes of this kind were issued for a wallet within ten minutes, to
 * one credential or to several that were registered one after the other.
 */
export async function checkCodeRate(
  op: Op,
  credential: Pick<CredentialRow, 'account_id' | 'type'>,
): Promise<void> {
  const since = plusSeconds(op.now, -WINDOW_SECONDS)
  checkRate(op, await selectChallengeTimes(op, credential, since, CHALLENGES_MAX))
}

/**
 * Error: 429 `RATE_LIMITED` with `Retry-After` where five challenges of a passkey within ten minutes were not answered.
 * A successful sign-in consumes its challenge, so it does not count.
 */
export async function checkPasskeyRate(op: Op, verifyCall: string): Promise<void> {
  checkRate(op, await unansweredSignIns(op, verifyCall, plusSeconds(op.now, -WINDOW_SECONDS), CHALLENGES_MAX))
}

/** `times`: the latest challenges within the window, newest first. */
function checkRate(op: Op, times: readonly Date[]): void {
  const oldest = times[CHALLENGES_MAX - 1]
  if (!oldest) return
  const waitMs = plusSeconds(oldest, WINDOW_SECONDS).getTime() - op.now.getTime()
  throw new ApiError('RATE_LIMITED', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
