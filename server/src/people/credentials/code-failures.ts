import { buildAuditEntryOutsideApi } from '../../kernel/audit/audit-trail.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { CodeFailuresRow } from '../../storage/rows/sign-in.ts'
import type { CredentialRow } from '../../storage/rows/tables.ts'
import { operate } from '../platforms/operate.ts'
import { toCredentialView } from './credentials.ts'
import { selectCodeFailures, selectFailuresPlatform } from './store.ts'

/**
 * Counts consecutive wrong codes per wallet, for e-mail and SMS together. A hundred of them lock sign-in by
 * code until the operator or a signed operation of the wallet unlocks it. The platform's backend cannot
 * unlock it, because it may be the attacker.
 */

export const CODE_FAILURES_MAX = 100

/** Throws 403 `CODE_SIGN_IN_LOCKED` if sign-in by code is locked. */
export async function checkCodesNotLocked(op: Op, credential: CredentialRow): Promise<void> {
  const row = await findCodeFailures(op, credential.account_id)
  if (!row || !areCodesLocked(row.failures)) return
  // If the process died between counting the code and writing the event, the event is written now.
  throw createCodesLockedError(row.locked_at === null ? lockCodes(op, credential) : [])
}

/** Finds the count of a wallet's consecutive wrong codes. Undefined if it never had a wrong code. */
export async function findCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return selectCodeFailures(op, accountId)
}

export function areCodesLocked(failures: number | null): boolean {
  return failures !== null && failures >= CODE_FAILURES_MAX
}

export function createCodesLockedError(writes: readonly Write[] = []): ApiError {
  return new ApiError('CODE_SIGN_IN_LOCKED', { writes })
}

/** Records that wrong codes have locked sign-in by code, and notifies the platform. */
export function lockCodes(op: Op, credential: CredentialRow): Write[] {
  return [
    update('code_failures', credential.account_id, {}, { locked_at: op.now }),
    event(op, 'AUTH_CREDENTIAL.CODES_LOCKED', credential.id, toCredentialView(credential)),
  ]
}

/** Resets the count of wrong codes, which must exist. */
export function clearCodeFailures(accountId: string): Write {
  return update('code_failures', accountId, {}, { failures: 0, locked_at: null })
}

/**
 * Lets the operator unlock a wallet's codes. Throws with a one-line message if no wrong codes are counted.
 */
export async function unlockCodes(app: App, accountId: string): Promise<void> {
  const platformId = await selectFailuresPlatform(app.read, accountId)
  if (platformId === undefined) throw new Error(`The account ${accountId} has no wrong codes to clear.`)
  const op = await operate(app, platformId)
  const entry = buildAuditEntryOutsideApi(op, 'wallet_unlock', { params: { accountId } })
  const result = await app.commit(op, [clearCodeFailures(accountId), ...entry])
  if (!result.done) throw new Error(`The wallet ${accountId} was not unlocked: ${result.name}.`)
}
