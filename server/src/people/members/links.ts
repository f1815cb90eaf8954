import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { INVITATION_HOURS } from '@countersign/contract/platforms/members'
import { type App, type Op, plusSeconds } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberLinkRow, MemberRow } from '../../storage/rows/member.ts'
import { findTokenPermissions } from '../tokens/tokens.ts'
import { isPresent, makeMember } from './members.ts'
import { hashOf, makeSecret } from './secrets.ts'
import { selectLink, selectLinkOf, selectMember, selectPresentMembers } from './store.ts'

/**
 * Links with which a member can sign in once: invitations, and links that sign the operator in to a sandbox.
 */

const SECONDS = { INVITATION: INVITATION_HOURS * 60 * 60, SIGN_IN: 60 * 60 } as const
/** The name in the URL fragment. Browsers do not send fragments to servers. */
const FRAGMENTS = { INVITATION: 'invitation', SIGN_IN: 'link' } as const
export const CONSOLE_PATH = '/console/'

export interface NewLink {
  readonly id: string
  readonly url: string
  readonly expiresAt: Date
  /** Must come after the write of the member. */
  readonly write: (memberId: string) => Write
}

/** A new link. Only a hash of its secret is stored. */
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
    ...toMaker(op),
  }
  return {
    id: row.id,
    url: `${consoleOrigin(op)}${CONSOLE_PATH}#${FRAGMENTS[purpose]}=${secret}`,
    expiresAt: row.expires_at,
    write: (memberId) => insert('member_links', { ...row, member_id: memberId }),
  }
}

/** The maker of a link. The link stops working when its maker loses the rights. */
function toMaker({ actor }: Op): Pick<MemberLinkRow, 'maker' | 'maker_id'> {
  switch (actor.kind) {
    case 'operator':
      return { maker: 'OPERATOR', maker_id: null }
    case 'token':
      return { maker: 'TOKEN', maker_id: actor.tokenId }
    case 'member':
      return { maker: 'MEMBER', maker_id: actor.memberId }
    default:
      throw new Error(`A link made by a ${actor.kind}`)
  }
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]']

/**
 * The origin of the console. A loopback address becomes `localhost`, because passkeys do not work on IP
 * addresses.
 */
export function consoleOrigin({ origin }: Pick<Op, 'origin'>): string {
  const url = new URL(origin())
  if (LOOPBACK_HOSTS.includes(url.hostname)) url.hostname = 'localhost'
  return url.origin
}

/** A name for a link that does not reveal its secret, for counting attempts. */
export function nameLink(secret: string): string {
  return `link ${hashOf(secret)}`
}

/**
 * The link with this secret, whether it can be used or not. Throws 401 `UNAUTHORIZED` if it does not exist.
 */
export async function findLink(
  app: App,
  secret: string,
  purpose: MemberLinkRow['purpose'],
): Promise<MemberLinkRow> {
  const link = await selectLink(app, hashOf(secret))
  if (link?.purpose !== purpose) throw notValid('This link is not valid.')
  return link
}

/** A link that can be used now, with its member. */
interface UsableLink {
  readonly link: MemberLinkRow
  readonly member: MemberRow
  /**
   * The writes that use up the link. Guards: the link is unused, and its maker still has the granted
   * permissions.
   */
  readonly use: readonly Write[]
}

/**
 * Throws 401 `UNAUTHORIZED` with a reason: the link was used or replaced, it has expired, or its maker has
 * lost a permission.
 */
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
  const guards = await guardMaker(op, link, member)
  if (!guards)
    throw notValid(`The member or token that made this link may not grant these rights any more. ${next}`)
  const used = update('member_links', link.id, { used_at: null }, { used_at: op.now })
  return { link, member, use: [used, ...guards] }
}

/**
 * Guards that the maker of a link still has all permissions of the link's member. Undefined if the maker
 * lacks one.
 */
async function guardMaker(
  op: Op,
  { maker, maker_id }: MemberLinkRow,
  { id, permissions }: MemberRow,
): Promise<readonly Write[] | undefined> {
  if (maker_id === null) return maker === 'OPERATOR' ? [] : undefined
  const coversAll = (granted: readonly Permission[] | undefined) =>
    granted !== undefined && permissions.every((one) => granted.includes(one))
  if (maker === 'TOKEN')
    return coversAll(await findTokenPermissions(op, maker_id))
      ? [expectRow('api_tokens', maker_id, { deleted_at: null })]
      : undefined
  const member = await selectMember(op, maker_id)
  if (member?.state !== 'ACTIVE' || !coversAll(member.permissions)) return undefined
  // A member who made the link for itself is guarded by the sign-in.
  return maker_id === id
    ? []
    : [expectRow('members', maker_id, { state: member.state, version: member.version })]
}

function notValid(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: reason, reason })
}

/** The member whom a sandbox's link signs in if no member has every permission. */
const SANDBOX_OWNER = {
  name: 'Sandbox owner',
  email: 'owner@sandbox.example',
  permissions: PERMISSIONS,
} as const
const OWNER_SEARCH_MAX = 1_000

/**
 * A link that signs in to a sandbox's console as its first member with every permission. Creates that member
 * if it is missing. `check` is called first with the permissions that the link grants.
 */
export async function makeConsoleLink(
  op: Op,
  check: (permissions: MemberRow['permissions']) => void,
): Promise<{ readonly url: string; readonly expiresAt: Date; readonly writes: readonly Write[] }> {
  const members = await selectPresentMembers(op, OWNER_SEARCH_MAX)
  const owner =
    members.find(
      ({ state, permissions }) =>
        state === 'ACTIVE' && PERMISSIONS.every((permission) => permissions.includes(permission)),
    ) ?? members.find(({ email }) => email.toLowerCase() === SANDBOX_OWNER.email)
  check(owner?.permissions ?? [...PERMISSIONS])
  const { url, expiresAt, write } = makeLink(op, 'SIGN_IN')
  if (owner) return { url, expiresAt, writes: [write(owner.id)] }
  const newMember = makeMember(op, SANDBOX_OWNER, null)
  return { url, expiresAt, writes: [newMember.write, write(newMember.row.id)] }
}
