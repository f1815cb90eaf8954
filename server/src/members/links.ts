import { PERMISSIONS } from '@countersign/contract/core/endpoint'
import { INVITATION_HOURS } from '@countersign/contract/platforms/members'
import { insert, update, type Write } from '../db/commit/writes.ts'
import type { MemberLinkRow, MemberRow } from '../db/schema/member-tables.ts'
import { type App, type Op, plusSeconds } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { isPresent, makeMember } from './members.ts'
import { hashOf, makeSecret } from './secrets.ts'
import { selectLink, selectLinkOf, selectMember, selectPresentMembers } from './store.ts'

/** Links that sign a member in once: invitations, and those of a sandbox for whoever runs it. */

const SECONDS = { INVITATION: INVITATION_HOURS * 60 * 60, SIGN_IN: 60 * 60 } as const
/** What the part of the address after `#` is called, which browsers do not send. */
const FRAGMENTS = { INVITATION: 'invitation', SIGN_IN: 'link' } as const
export const CONSOLE_PATH = '/console/'

export interface NewLink {
  readonly id: string
  readonly url: string
  readonly expiresAt: Date
  /** Comes after the write of its member. */
  readonly write: (memberId: string) => Write
}

/** A new link. Only its hash is kept. */
export function makeLink(op: Op, purpose: MemberLinkRow['purpose']): NewLink {
  const { secret, hash } = makeSecret(op)
  const row: Omit<MemberLinkRow, 'member_id'> = {
    id: op.newId('Challenge'),
    platform_id: op.platform.id,
    purpose,
    secret_hash: hash,
    expires_at: plusSeconds(op.now, SECONDS[purpose]),
    used_at: null,
    created_at: op.now,
  }
  return {
    id: row.id,
    url: `${consoleOrigin(op)}${CONSOLE_PATH}#${FRAGMENTS[purpose]}=${secret}`,
    expiresAt: row.expires_at,
    write: (memberId) => insert('member_links', { ...row, member_id: memberId }),
  }
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]']

/** The address of the console. This machine is `localhost` in it, as addresses that are numbers have no passkeys. */
export function consoleOrigin({ origin }: Pick<Op, 'origin'>): string {
  const url = new URL(origin())
  if (LOOPBACK_HOSTS.includes(url.hostname)) url.hostname = 'localhost'
  return url.origin
}

/** The link with this secret, in whatever state. Error: 401 `UNAUTHORIZED` where there is none. */
export async function findLink(
  app: App,
  secret: string,
  purpose: MemberLinkRow['purpose'],
): Promise<MemberLinkRow> {
  const link = await selectLink(app, hashOf(secret))
  if (link?.purpose !== purpose) throw notValid('This link is not valid.')
  return link
}

/** A link that can be used now, and its member. */
interface UsableLink {
  readonly link: MemberLinkRow
  readonly member: MemberRow
}

/** Error: 401 `UNAUTHORIZED` with the reason in words: the link was used, was replaced or has expired. */
export async function findUsableLink(
  op: Op,
  secret: string,
  purpose: MemberLinkRow['purpose'],
): Promise<UsableLink> {
  const link = await selectLinkOf(op, hashOf(secret))
  if (link?.purpose !== purpose) throw notValid('This link is not valid.')
  const next = purpose === 'INVITATION' ? 'Ask for a new invitation.' : 'Make a new one.'
  if (link.used_at) throw notValid(`This link was used already. ${next}`)
  const member = await selectMember(op, link.member_id)
  if (!member || !isPresent(member))
    throw notValid('This link is not valid any more: the member was removed.')
  if (purpose === 'INVITATION' && member.invitation_id !== link.id)
    throw notValid(
      member.invitation_id === null
        ? `This link has ended. ${next}`
        : 'This link was replaced by a later one.',
    )
  if (link.expires_at <= op.now) throw notValid(`This link has expired. ${next}`)
  return { link, member }
}

/** The write that uses a link up. Guard: nobody has used it meanwhile. */
export function useLink(op: Op, { id }: MemberLinkRow): Write {
  return update('member_links', id, { used_at: null }, { used_at: op.now })
}

function notValid(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: reason, reason })
}

/** Whom the link of a sandbox signs in, where nobody else can do everything. */
const SANDBOX_OWNER = {
  name: 'Sandbox owner',
  email: 'owner@sandbox.example',
  permissions: PERMISSIONS,
} as const
const OWNERS_LOOKED_AT = 1_000

/**
 * A link that opens the console of a sandbox, signed in as its first member with every permission, who is made where there is
 * none. `check` sees the permissions that it gives, before it is made.
 */
export async function makeConsoleLink(
  op: Op,
  check: (permissions: MemberRow['permissions']) => void,
): Promise<{ readonly url: string; readonly expiresAt: Date; readonly writes: readonly Write[] }> {
  const members = await selectPresentMembers(op, OWNERS_LOOKED_AT)
  const owner =
    members.find(
      ({ state, permissions }) =>
        state === 'ACTIVE' && PERMISSIONS.every((permission) => permissions.includes(permission)),
    ) ?? members.find(({ email }) => email.toLowerCase() === SANDBOX_OWNER.email)
  check(owner?.permissions ?? [...PERMISSIONS])
  const { url, expiresAt, write } = makeLink(op, 'SIGN_IN')
  if (owner) return { url, expiresAt, writes: [write(owner.id)] }
  const made = makeMember(op, SANDBOX_OWNER, null)
  return { url, expiresAt, writes: [made.write, write(made.row.id)] }
}
