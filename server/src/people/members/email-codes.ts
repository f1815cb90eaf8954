import { type App, addSeconds, type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberCodeRow, MemberRow } from '../../storage/rows/member.ts'
import { tryCountMessage } from '../messages/message-limits.ts'
import { makeMemberMessage } from '../messages/messages.ts'
import { ALPHANUMERICS, drawCode } from '../sign-in/one-time-codes.ts'
import { findMember } from './members.ts'
import { selectCode, selectCodeTimes, selectLatestCode } from './store.ts'

/** E-mail codes with which members can sign in instead of with a passkey. */

/** 40 bits, which cannot be guessed in the few allowed attempts. */
const CODE_CHARACTERS = 8
const CODE_SECONDS = 10 * 60
export const CODE_TRIES_MAX = 5
/** The maximum number of codes per member in the period below. */
const CODES_MAX = 10
const RATE_SECONDS = 60 * 60

export function computeCodeExpiry(now: Date): Date {
  return addSeconds(now, CODE_SECONDS)
}

/**
 * Builds the writes that send a code to a member and invalidate the previous one. Empty if the member has
 * reached its limit, because the response must not reveal whether the member exists.
 */
export async function sendCode(platformOp: Op, memberId: string): Promise<Write[]> {
  const op = toRealTimeOp(platformOp)
  const member = await findMember(op, memberId)
  const times = await selectCodeTimes(op, memberId, addSeconds(op.now, -RATE_SECONDS), CODES_MAX)
  if (times.length === CODES_MAX || !(await tryCountMessage(platformOp, member.email))) return []
  const code = drawCode(op, ALPHANUMERICS, CODE_CHARACTERS)
  const id = op.newId('Challenge')
  const row: MemberCodeRow = {
    id,
    platform_id: op.platform.id,
    member_id: memberId,
    code_mac: computeMac(op, id, code),
    tries: 0,
    expires_at: computeCodeExpiry(op.now),
    created_at: op.now,
  }
  return [
    insert('member_codes', row),
    // Guard: no other code was sent in the meantime, so that each of them is counted.
    update('members', memberId, { code_id: member.code_id, state: member.state }, { code_id: id }),
    ...makeMemberMessage(
      platformOp,
      { email: member.email, codeId: id, seconds: CODE_SECONDS },
      formatCode(code),
    ),
  ]
}

/** Formats a code so that it is easier to read and to type. */
function formatCode(code: string): string {
  return `${code.slice(0, CODE_CHARACTERS / 2)}-${code.slice(CODE_CHARACTERS / 2)}`
}

/** Finds the member whose code was sent last. */
export async function findMemberWithLatestCode(
  app: Pick<App, 'read'>,
  members: readonly MemberRow[],
): Promise<MemberRow | undefined> {
  const codes = members.flatMap(({ code_id }) => (code_id === null ? [] : [code_id]))
  if (codes.length < 2) return members.find(({ code_id }) => code_id !== null)
  const latest = await selectLatestCode(app, codes)
  return members.find(({ code_id }) => code_id === latest)
}

/** Finds the stored MAC of a code, with a function that computes the MAC of an entered code. */
export async function findCodeMac(op: Op, id: string) {
  const row = await selectCode(op, id)
  if (!row) return undefined
  return {
    stored: row.code_mac,
    compute: (entered: string) => computeMac(op, id, entered.toUpperCase().replaceAll(/[\s-]/g, '')),
  }
}

/** Computes the stored form of a code: a MAC bound to its record. */
function computeMac({ enclave }: Pick<Op, 'enclave'>, id: string, code: string): Uint8Array {
  return enclave.mac('memberCode', `${id} ${code}`)
}
