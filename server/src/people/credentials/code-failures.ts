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
 * Counts consecutive wrong codes per wallet, for e-mail and SMS together. A hundred of them lock signing in
 * by code until the operator or a signed operation of the wallet unlocks it. The platform's backend cannot
 * unlock it, because the backend might be the one that is guessing.
 */

export const CODE_FAILURES_MAX = 100

/** Throws 403 `CODE_SIGN_IN_LOCKED` if signing in by code is locked. */
export async function checkCodesNotLocked(op: Op, credential: CredentialRow): Promise<void> {
  const row = await findCodeFailures(op, credential.account_id)
  if (!row || !areCodesLocked(row.failures)) return
  // If the process died between counting the code and writing the event, the event is written now.
  throw codesLockedError(row.locked_at === null ? codesLockedWrites(op, credential) : [])
}

/** The count of a wallet's consecutive wrong codes; undefined if it has never had one. */
export async function findCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return selectCodeFailures(op, accountId)
}

export function areCodesLocked(failures: number | null): boolean {
  return failures !== null && failures >= CODE_FAILURES_MAX
}

export function codesLockedError(writes: readonly Write[] = []): ApiError {
  return new ApiError('CODE_SIGN_IN_LOCKED', { writes })
}

/** Records that a wrong code has locked signing in by code, and notifies the platform. */
export function codesLockedWrites(op: Op, credential: CredentialRow): Write[] {
  return [
    update('code_failures', credential.account_id, {}, { locked_at: op.now }),
    event(op, 'AUTH_CREDENTIAL.CODES_LOCKED', credential.id, credentialView(credential)),
  ]
}

/** Resets the count. The wallet must have one. */
export function clearCodeFailures(accountId: string): Write {
  return update('code_failures', accountId, {}, { failures: 0, locked_at: null })
}

/**
 * Lets the operator unlock a wallet's codes. Throws with a one-line message if no wrong codes are counted.
 */
export async function unlockCodes(app: App, accountId: string): Promise<void> {
  const platformId = await selectPlatformOfFailures(app.read, accountId)
  if (platformId === undefined) throw new Error(`No wrong codes are counted for the account ${accountId}.`)
  const op = await operate(app, platformId)
  const entry = auditStep(op, 'wallet_unlock', { params: { accountId } })
  const result = await app.commit(op, [clearCodeFailures(accountId), ...entry])
  if (!result.done) throw new Error(`The wallet ${accountId} was not unlocked: ${result.name}`)
}
