import type { Permission } from '@countersign/contract/core/endpoint'
import type { Op } from '../../kernel/operation/app.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { canDeliver } from '../messages/channels.ts'
import type { Notice } from '../messages/message-content.ts'
import { tryCountMessage } from '../messages/message-limits.ts'
import { makeNotice } from '../messages/messages.ts'
import { CONSOLE_PATH, getConsoleOrigin } from './links.ts'
import { selectPresentMembers } from './store.ts'

/** The maximum number of members who get a notice. Members who joined first come first. */
const NOTIFIED_MAX = 20
const MEMBERS_READ_MAX = 1_000

/**
 * Builds the writes that send an e-mail to the active members with a permission. Empty if the server sends no
 * e-mail. Members who have reached a message limit get none.
 */
export async function notifyMembers(op: Op, permission: Permission, notice: Notice): Promise<Write[]> {
  if (!canDeliver(op, 'EMAIL')) return []
  const members = await selectPresentMembers(op, MEMBERS_READ_MAX)
  const recipients = members
    .filter(({ state, permissions }) => state === 'ACTIVE' && permissions.includes(permission))
    .slice(0, NOTIFIED_MAX)
  const writes: Write[] = []
  for (const member of recipients) writes.push(...(await notifyMember(op, member, notice)))
  return writes
}

/**
 * Builds the writes that send an e-mail to a member. Empty if the server sends no e-mail or a message limit
 * is reached.
 */
export async function notifyMember(
  op: Op,
  member: Pick<MemberRow, 'id' | 'email'>,
  notice: Notice,
): Promise<Write[]> {
  return canDeliver(op, 'EMAIL') && (await tryCountMessage(op, member.email))
    ? makeNotice(op, member, notice)
    : []
}

/** Builds the URL of a console page. */
export function getConsolePageUrl(op: Pick<Op, 'origin'>, path: string): string {
  return `${getConsoleOrigin(op)}${CONSOLE_PATH}${path}`
}
