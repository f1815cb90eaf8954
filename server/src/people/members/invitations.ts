import type { MemberInvitation } from '@countersign/contract/platforms/members'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { guardPlatformOpen } from '../platforms/platforms.ts'
import { makeLink, type NewLink } from './links.ts'
import { makeMember, type Person } from './members.ts'

/** A member with an invitation link. */
export interface InvitedMember {
  readonly member: MemberRow
  readonly invitation: Static<typeof MemberInvitation>
  readonly writes: readonly Write[]
}

/** Creates a member with an invitation. The caller must have checked that nobody else has the address. */
export function inviteMember(op: Op, person: Person): InvitedMember {
  const link = makeLink(op, 'INVITATION')
  const { row, write } = makeMember(op, person, link.id)
  const writes = [guardPlatformOpen(op.platform), write, link.write(row.id)]
  return { member: row, invitation: toInvitationView(link), writes }
}

/**
 * Creates an invitation for a member, which replaces any earlier one. Guard: the member and its permissions
 * are unchanged.
 */
export function renewInvitation(op: Op, member: MemberRow): InvitedMember {
  const link = makeLink(op, 'INVITATION')
  const { id, version, state, invitation_id } = member
  const writes = [
    link.write(id),
    update('members', id, { version, state, invitation_id }, { invitation_id: link.id }),
  ]
  return { member, invitation: toInvitationView(link), writes }
}

function toInvitationView({ url, expiresAt }: NewLink): Static<typeof MemberInvitation> {
  return { invitationUrl: url, invitationExpiresAt: expiresAt.toISOString() }
}
