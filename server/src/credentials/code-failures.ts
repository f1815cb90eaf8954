import { update, type Write } from '../db/commit/writes.ts'
import type { Database } from '../db/engine/port.ts'
import type { CodeFailuresRow } from '../db/schema/sign-in-tables.ts'
import type { CredentialRow } from '../db/schema/tables.ts'
import { event } from '../events/events.ts'
import type { Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { credentialView } from './credentials.ts'
import { resetCodeFailures, selectCodeFailures } from './store.ts'

/**
 * Wrong codes in a row, by wallet: those of its e-mail credential and of its SMS credential together. A hundred lock its
 * sign-in by code, until a signed operation of the wallet or the operator frees it. The platform's backend cannot: it may
 * be the one that guesses.
 */

export const CODE_FAILURES_MAX = 100

/** Error: 403 `CODE_SIGN_IN_LOCKED`. */
export async function checkCodesNotLocked(op: Op, credential: CredentialRow): Promise<void> {
  const row = await findCodeFailures(op, credential.account_id)
  if (!row || !areCodesLocked(row.failures)) return
  // Nobody was told where the process died between the count and the refusal.
  throw codesLocked(row.locked_at === null ? codesLockedWrites(op, credential) : [])
}

/** The wrong codes in a row of a wallet; undefined where there never was one. */
export async function findCodeFailures(op: Op, accountId: string): Promise<CodeFailuresRow | undefined> {
  return selectCodeFailures(op, accountId)
}

export function areCodesLocked(failures: number | null): boolean {
  return failures !== null && failures >= CODE_FAILURES_MAX
}

export function codesLocked(writes: readonly Write[] = []): ApiError {
  return new ApiError('CODE_SIGN_IN_LOCKED', { writes })
}

/** What the last of the wrong codes leaves behind: the platform is told. */
export function codesLockedWrites(op: Op, credential: CredentialRow): Write[] {
  return [
    update('code_failures', credential.account_id, {}, { locked_at: op.now }),
    event(op, 'AUTH_CREDENTIAL.CODES_LOCKED', credential.id, credentialView(credential)),
  ]
}

/** Begins the count anew, of a wallet that has one. */
export function clearCodeFailures(accountId: string): Write {
  return update('code_failures', accountId, {}, { failures: 0, locked_at: null })
}

/** The operator's word that the codes of a wallet may be tried again. Error: one line, where none was wrong. */
export async function unlockCodes(db: Database, accountId: string): Promise<void> {
  if (!(await resetCodeFailures(db, accountId)))
    throw new Error(`No wrong codes are counted for the account ${accountId}.`)
}
