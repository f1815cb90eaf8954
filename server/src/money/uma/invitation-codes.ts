import {
  INVITATION_CODE_ALPHABET,
  INVITATION_CODE_CHARACTERS,
  INVITATION_CODE_FAILURE_SECONDS,
  INVITATION_CODE_FAILURES_MAX,
} from '@countersign/contract/payments/invitations'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import {
  countFailure,
  type InvitationAttempts,
  type InvitationWithInviter,
  selectAttempts,
  selectInvitation,
} from './invitation-store.ts'

/** Generates a code. The primary key guarantees that it is unique. */
export function generateCode(op: Pick<Op, 'random'>): string {
  return Array.from(op.random(INVITATION_CODE_CHARACTERS), (byte) =>
    INVITATION_CODE_ALPHABET.charAt(byte % INVITATION_CODE_ALPHABET.length),
  ).join('')
}

/** Normalizes a code as people type it; undefined if the text cannot be a code. */
export function normalizeCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const isCode =
    code.length === INVITATION_CODE_CHARACTERS &&
    [...code].every((letter) => INVITATION_CODE_ALPHABET.includes(letter))
  return isCode ? code : undefined
}

/** Operations whose wrong code has been counted. An operation that runs again must not count twice. */
const countedOperations = new WeakSet<Op>()

/**
 * The invitation with this code, on any platform. Throws 404 `INVITATION_NOT_FOUND`, 429 `RATE_LIMITED` with
 * `Retry-After` for a platform that has tried too many wrong codes. Failures are counted in the database, so
 * that the limit applies across processes.
 */
export async function findInvitation(op: Op, text: string): Promise<InvitationWithInviter> {
  const realNow = new Date(op.now.getTime() - Number(op.platform.clock_offset_ms))
  const attempts = await selectAttempts(op, realNow)
  if (!countedOperations.has(op)) checkFailures(INVITATION_CODE_FAILURES_MAX - 1, attempts, realNow)
  const code = normalizeCode(text)
  const invitation = code === undefined ? undefined : await selectInvitation(op, code)
  if (invitation) return invitation
  // A string that cannot be a code does not count as a guess.
  if (code !== undefined && !countedOperations.has(op)) {
    countedOperations.add(op)
    const forgottenAt = addSeconds(realNow, INVITATION_CODE_FAILURE_SECONDS)
    checkFailures(INVITATION_CODE_FAILURES_MAX, await countFailure(op, realNow, forgottenAt), realNow)
  }
  throw new ApiError('INVITATION_NOT_FOUND', { details: { field: 'invitationCode' } })
}

function checkFailures(failuresMax: number, attempts: InvitationAttempts | undefined, realNow: Date): void {
  if (!attempts || attempts.failures <= failuresMax) return
  const seconds = Math.ceil((attempts.forgotten_at.getTime() - realNow.getTime()) / 1000)
  throw new ApiError('RATE_LIMITED', { headers: { 'Retry-After': String(Math.max(1, seconds)) } })
}
