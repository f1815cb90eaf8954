import { present } from '@countersign/contract/core/objects'
import type { members } from '@countersign/contract/platforms/members'
import { MEMBER_TRANSITIONS } from '@countersign/contract/states/member-states'
import { toRealTimeOp } from '../../kernel/operation/app.ts'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkCanRevoke, checkMayGrant } from '../../kernel/operation/permissions.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { update } from '../../storage/commit/writes.ts'
import { endTokens, findMemberTokens, toTokenView } from '../tokens/tokens.ts'
import { inviteMember, renewInvitation } from './invitations.ts'
import { checkEmailIsFree, findMember, findPresentMember, sortPermissions, toMemberView } from './members.ts'
import { guardOwnerRemains, readRights } from './roles.ts'
import { selectMembers, selectPasskeys } from './store.ts'

/** These operations use real time instead of the sandbox clock, because invitations and sign-ins do. */
export const memberHandlers: Handlers<typeof members> = {
  member_invite: async (platformOp, { body }) => {
    const op = toRealTimeOp(platformOp)
    const rights = await readRights(op, body)
    if (!rights) throw createFieldError('INVALID_INPUT', 'permissions', 'permissions or roleId is required')
    checkMayGrant(op, rights.permissions)
    await checkEmailIsFree(op, body.email)
    const { member, invitation, writes } = inviteMember(op, { ...body, ...rights })
    return {
      status: 201,
      body: { member: toMemberView(member), ...invitation },
      writes: [...rights.writes, ...writes],
    }
  },

  member_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectMembers(op, query),
      table: 'members',
      view: (rows) => rows.map(toMemberView),
    }),
  }),

  member_get: async (op, { params }) => ({
    status: 200,
    body: toMemberView(await findMember(op, params.memberId)),
  }),

  member_update: async (platformOp, { params, body }) => {
    const op = toRealTimeOp(platformOp)
    const member = await findPresentMember(op, params.memberId)
    const { version, state } = member
    const rights = await readRights(op, body)
    const after = rights?.permissions ?? member.permissions
    const added = after.filter((permission) => !member.permissions.includes(permission))
    checkMayGrant(op, added)
    const removed = member.permissions.filter((permission) => !after.includes(permission))
    checkCanRevoke(op, removed)
    const change = {
      ...present({ name: body.name }),
      ...(rights && { permissions: sortPermissions(rights.permissions), role_id: rights.role_id }),
      // Invalidates the invitation: the inviter knows the link and may not have the added permissions.
      ...(added.length > 0 ? { invitation_id: null } : {}),
      version: version + 1,
      updated_at: op.now,
    }
    return {
      status: 200,
      body: toMemberView({ ...member, ...change }),
      writes: [
        ...(rights?.writes ?? []),
        ...(removed.length > 0 ? await guardOwnerRemains(op, [member]) : []),
        update('members', member.id, { version, state }, change),
      ],
    }
  },

  member_delete: async (platformOp, { params, query }) => {
    const op = toRealTimeOp(platformOp)
    const member = await findPresentMember(op, params.memberId)
    checkCanRevoke(op, member.permissions)
    const tokens = await findMemberTokens(op, member.id)
    const tokenWrites = query.endTokens ? await endTokens(op, tokens, 'endTokens') : []
    const guards = await guardOwnerRemains(op, [member])
    const passkeys = await selectPasskeys(op, member.id)
    const change = { version: member.version + 1, invitation_id: null, code_id: null, role_id: null }
    return {
      // 200 reports the tokens that the member has created; without any, there is nothing to report.
      ...(tokens.length > 0
        ? { status: 200, body: { tokens: tokens.map(toTokenView), tokensEnded: query.endTokens ?? false } }
        : { status: 204, body: undefined }),
      writes: [
        ...guards,
        ...tokenWrites,
        transition(op, 'members', MEMBER_TRANSITIONS, member, 'remove', change).write,
        ...passkeys.map(({ id }) =>
          update('member_passkeys', id, { removed_at: null }, { removed_at: op.now }),
        ),
      ],
    }
  },

  member_invitation_renew: async (platformOp, { params }) => {
    const op = toRealTimeOp(platformOp)
    const member = await findPresentMember(op, params.memberId)
    checkMayGrant(op, member.permissions)
    const { invitation, writes } = renewInvitation(op, member)
    return { status: 201, body: invitation, writes }
  },
}
