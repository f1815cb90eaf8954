import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { INVITATION_HOURS } from '@countersign/contract/platforms/members'
import { type App, addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberLinkRow, MemberRow } from '../../storage/rows/member.ts'
import { findTokenPermissions } from '../tokens/tokens.ts'
import { isPresent, makeMember } from './members.ts'
import { hashSecret, makeSecret } from './secrets.ts'
import { selectLink, selectMember, selectPlatformLink, selectPresentMembers } from './store.ts'

/**
 * Links that sign a member in once: invitations, and links for the operator of a sandbox.
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

/** Creates a link. Only a hash of its secret is stored. */
export function makeLink(op: Op, purpose: MemberLinkRow['purpose']): NewLink {
  const { secret, hash } = makeSecret(op)
  const row: Omit<MemberLinkRow, 'member_id'> = {
    id: op.newId('Challenge'),
    platform_id: op.platform.id,
    purpose,
    secret_hash: hash,
    expires_at: addSeconds(op.now, SECONDS[purpose]),
    used_at: null,
    created_at: op.now,
    ...toMaker(op),
  }
  return {
    id: row.id,
    url: `${getConsoleOrigin(op)}${CONSOLE_PATH}#${FRAGMENTS[purpose]}=${secret}`,
    expiresAt: row.expires_at,
    write: (memberId) => insert('member_links', { ...row, member_id: memberId }),
  }
}

/** Reads the maker of a link. The link stops working if its maker loses the permissions. */
function toMaker({ actor }: Op): Pick<MemberLinkRow, 'maker' | 'maker_id'> {
  switch (actor.kind) {
    case 'operator':
      return { maker: 'OPERATOR', maker_id: null }
    case 'token':
      return { maker: 'TOKEN', maker_id: actor.tokenId }
    case 'member':
      return { maker: 'MEMBER', maker_id: actor.memberId }
    default:
      throw new Error(`A ${actor.kind} cannot create a link`)
  }
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', '0.0.0.0', '[::]']

/**
 * Returns the origin of the console. A loopback address becomes `localhost`, because passkeys do not work on
 * IP addresses.
 */
export function getConsoleOrigin({ origin }: Pick<Op, 'origin'>): string {
  const url = new URL(origin())
  if (LOOPBACK_HOSTS.includes(url.hostname)) url.hostname = 'localhost'
  return url.origin
}

/** Names a link without revealing its secret, for counting failed attempts. */
export function nameLink(secret: string): string {
  return `link ${hashSecret(secret)}`
}

/**
 * Finds a link by its secret, even if it can no longer be used. Throws 401 `UNAUTHORIZED` if it does not
 * exist.
 */
export async function findLink(
  app: App,
  secret: string,
  purpose: MemberLinkRow['purpose'],
): Promise<MemberLinkRow> {
  const link = await selectLink(app, hashSecret(secret))
  if (link?.purpose !== purpose) throw createInvalidLinkError('This link is not valid.')
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
 * Finds a link that can be used. Throws 401 `UNAUTHORIZED` with the reason if it was used or replaced, has
 * expired, or its maker has lost a permission.
 */
export async function findUsableLink(
  op: Op,
  secret: string,
  purpose: MemberLinkRow['purpose'],
): Promise<UsableLink> {
  const link = await selectPlatformLink(op, hashSecret(secret))
  if (link?.purpose !== purpose) throw createInvalidLinkError('This link is not valid.')
  const next = purpose === 'INVITATION' ? 'Ask for a new invitation.' : 'Create a new one.'
  if (link.used_at) throw createInvalidLinkError(`This link was already used. ${next}`)
  const member = await selectMember(op, link.member_id)
  if (!member || !isPresent(member))
    throw createInvalidLinkError('This link is no longer valid because the member was removed.')
  if (purpose === 'INVITATION' && member.invitation_id !== link.id)
    throw createInvalidLinkError(
      member.invitation_id === null
        ? `This link is no longer valid. ${next}`
        : 'This link was replaced by a newer one.',
    )
  if (link.expires_at <= op.now) throw createInvalidLinkError(`This link has expired. ${next}`)
  const guards = await guardMaker(op, link, member)
  if (!guards)
    throw createInvalidLinkError(
      `The member or token that created this link can no longer grant these permissions. ${next}`,
    )
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
    granted !== undefined && permissions.every((permission) => granted.includes(permission))
  if (maker === 'TOKEN')
    return coversAll(await findTokenPermissions(op, maker_id))
      ? [expectRow('api_tokens', maker_id, { deleted_at: null })]
      : undefined
  const member = await selectMember(op, maker_id)
  if (member?.state !== 'ACTIVE' || !coversAll(member.permissions)) return undefined
  // The sign-in guards a member who made the link for itself.
  return maker_id === id
    ? []
    : [expectRow('members', maker_id, { state: member.state, version: member.version })]
}

function createInvalidLinkError(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: reason, reason })
}

/** The member that a sandbox's link signs in if no member has every permission. */
const SANDBOX_OWNER = {
  name: 'Sandbox owner',
  email: 'owner@sandbox.example',
  permissions: PERMISSIONS,
} as const
const OWNER_SEARCH_MAX = 1_000

/**
 * Creates a link that signs in to a sandbox's console as its first member with every permission, and creates
 * that member if necessary. `check` is called first with the permissions that the link grants.
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
