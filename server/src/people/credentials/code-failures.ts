import { auditStep } from '../../kernel/audit/audit-trail.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { CodeFailuresRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'
import { operate } from '../platforms/operate.ts'
import { credentialView } from './credentials.ts'
import { selectCodeFailures, selectPlatformOfFailures } from './store.ts'

/**
 * Consecutive wrong codes per wallet, by e-mail and SMS together. A hundred lock its sign-in by code, until a signed
 * operation of the wallet or the operator unlocks it. The platform's backend cannot unlock it, because the backend may be
 * the one that guesses.
 */

export const CODE_FAILURES_MAX = 100

/** Error: 403 `CODE_SIGN_IN_LOCKED`. */
export async function checkCodesNotLocked(op: Op, credential: CredentialRow): Promise<void> {
  const row = await findCodeFailures(op, credential.account_id)
  if (!row || !areCodesLocked(row.failures)) return
  // The event is missing if the process died between the count and the refusal, so it is written now.
  throw codesLocked(row.locked_at === null ? codesLockedWrites(op, credential) : [])
}

/** A wallet's consecutive wrong codes; undefined if there was never one. */
export async function findCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return selectCodeFailures(op, accountId)
}

export function areCodesLocked(failures: number | null): boolean {
  return failures !== null && failures >= CODE_FAILURES_MAX
}

export function codesLocked(writes: readonly Write[] = []): ApiError {
  return new ApiError('CODE_SIGN_IN_LOCKED', { writes })
}

/** The writes after the wrong code that locks sign-in: the platform is notified. */
export function codesLockedWrites(op: Op, credential: CredentialRow): Write[] {
  return [
    update('code_failures', credential.account_id, {}, { locked_at: op.now }),
    event(op, 'AUTH_CREDENTIAL.CODES_LOCKED', credential.id, credentialView(credential)),
  ]
}

/** Resets the count of a wallet that has one. */
export function clearCodeFailures(accountId: string): Write {
  return update('code_failures', accountId, {}, { failures: 0, locked_at: null })
}

/** Unlocks a wallet's codes for the operator. Error: one line, if no wrong code is counted. */
export async function unlockCodes(app: App, accountId: string): Promise<void> {
  const platformId = await selectPlatformOfFailures(app.read, accountId)
  if (platformId === undefined) throw new Error(`No wrong codes are counted for the account ${accountId}.`)
  const op = await operate(app, platformId)
  const entry = auditStep(op, 'wallet_unlock', { params: { accountId } })
  const result = await app.commit(op, [clearCodeFailures(accountId), ...entry])
  if (!result.done) throw new Error(`The wallet ${accountId} was not unlocked: ${result.name}`)
}
