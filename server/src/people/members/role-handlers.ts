import { present } from '@countersign/contract/core/objects'
import { type memberRoles, ROLE_MEMBERS_MAX } from '@countersign/contract/operation/custom-roles'
import { type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkCanRevoke, checkMayGrant } from '../../kernel/operation/permissions.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRoleRow } from '../../storage/rows/member.ts'
import { sortPermissions } from './members.ts'
import { selectMemberCounts, selectRoleMembers, selectRoles } from './role-store.ts'
import {
  buildRoleEvent,
  checkNameIsFree,
  countMembers,
  findRole,
  guardOwnerRemains,
  raiseVersion,
  toRoleView,
} from './roles.ts'

export const memberRoleHandlers: Handlers<typeof memberRoles> = {
  member_role_create: async (platformOp, { body }) => {
    const op = toRealTimeOp(platformOp)
    checkMayGrant(op, body.permissions)
    await checkNameIsFree(op, body.name)
    const row: MemberRoleRow = {
      id: op.newId('MemberRole'),
      platform_id: op.platform.id,
      name: body.name,
      permissions: sortPermissions(body.permissions),
      version: 1,
      created_at: op.now,
      updated_at: op.now,
      deleted_at: null,
    }
    const view = toRoleView(row, 0)
    return {
      status: 201,
      body: view,
      writes: [insert('member_roles', row), buildRoleEvent(platformOp, view)],
    }
  },

  member_role_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectRoles(op, query),
      table: 'member_roles',
      view: async (rows) => {
        const counts = await selectMemberCounts(
          op,
          rows.map(({ id }) => id),
        )
        return rows.map((row) => toRoleView(row, counts.get(row.id) ?? 0))
      },
    }),
  }),

  member_role_get: async (op, { params }) => {
    const role = await findRole(op, params.memberRoleId)
    return { status: 200, body: toRoleView(role, await countMembers(op, role.id)) }
  },

  member_role_update: async (platformOp, { params, body }) => {
    const op = toRealTimeOp(platformOp)
    const role = await findRole(op, params.memberRoleId)
    if (body.name !== undefined) await checkNameIsFree(op, body.name, role.id)
    const change = {
      ...present({ name: body.name, permissions: body.permissions && sortPermissions(body.permissions) }),
      updated_at: op.now,
    }
    const changed: MemberRoleRow = { ...role, ...change }
    const memberWrites = await changeRoleMembers(op, role, changed)
    const view = toRoleView(changed, await countMembers(op, role.id))
    return {
      status: 200,
      body: view,
      writes: [raiseVersion(role, change), ...memberWrites, buildRoleEvent(platformOp, view)],
    }
  },

  member_role_delete: async (platformOp, { params }) => {
    const op = toRealTimeOp(platformOp)
    const role = await findRole(op, params.memberRoleId)
    checkCanRevoke(op, role.permissions, 'The role')
    const memberCount = await countMembers(op, role.id)
    if (memberCount > 0)
      throw new ApiError('MEMBER_ROLE_IN_USE', {
        message: `${memberCount === 1 ? 'One member has' : `${memberCount} members have`} this role. Give them another one first.`,
        details: { field: 'memberRoleId', memberCount },
      })
    const change = { deleted_at: op.now }
    return {
      status: 204,
      body: undefined,
      writes: [raiseVersion(role, change), buildRoleEvent(platformOp, toRoleView({ ...role, ...change }, 0))],
    }
  },
}

/**
 * Builds the writes that give a role's members its new permissions. Read the role before calling: its version
 * guards the members.
 */
async function changeRoleMembers(
  op: Op,
  before: MemberRoleRow,
  after: MemberRoleRow,
): Promise<readonly Write[]> {
  const added = after.permissions.filter((permission) => !before.permissions.includes(permission))
  const removed = before.permissions.filter((permission) => !after.permissions.includes(permission))
  checkMayGrant(op, added)
  checkCanRevoke(op, removed, 'The role')
  if (added.length === 0 && removed.length === 0) return []
  const members = await selectRoleMembers(op, before.id, ROLE_MEMBERS_MAX)
  return [
    ...(removed.length > 0 ? await guardOwnerRemains(op, members) : []),
    ...members.map(({ id, version, state }) =>
      update(
        'members',
        id,
        { version, state },
        {
          permissions: after.permissions,
          // The inviting member knows the link, and may lack the added permissions.
          ...(added.length > 0 ? { invitation_id: null } : {}),
          version: version + 1,
          updated_at: op.now,
        },
      ),
    ),
  ]
}
