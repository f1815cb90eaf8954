import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { MemberPermissions } from '../core/member-permissions.ts'
import { Page, pageQuery, Text, Timestamp } from '../core/schema.ts'

/** Maximum number of members per role, because a change to a role updates all of them together. */
export const ROLE_MEMBERS_MAX = 1_000

/** A named set of permissions defined by the platform for its team members. */
export const MemberRole = Type.Object({
  id: Id('MemberRole'),
  name: Text(64),
  permissions: MemberPermissions,
  memberCount: Type.Integer({
    minimum: 0,
    description: 'The number of members who have the role, including invited ones',
  }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  deletedAt: Type.Optional(Timestamp('Present only in the deletion event')),
})

const RoleName = Text(64, {
  description: 'Unique on the platform, ignoring case, and not the name of a built-in role',
})

export const MemberRoleCreateRequest = Type.Object({ name: RoleName, permissions: MemberPermissions })

export const MemberRoleUpdateRequest = Type.Object({
  name: Type.Optional(RoleName),
  permissions: Type.Optional(MemberPermissions),
})

const rolePath = Type.Object({ memberRoleId: PathId })
const tag = 'Members'

export const member_role_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/member-roles',
  tag,
  summary: 'Define a role',
  description:
    'Creates a named set of permissions. Members who get the role have exactly its permissions. You can ' +
    'grant only permissions that you have yourself.',
  idempotent: true,
  body: MemberRoleCreateRequest,
  responses: { 201: MemberRole },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_ROLE_NAME_EXISTS'],
})

export const member_role_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/member-roles',
  tag,
  summary: 'List the roles',
  description:
    'Lists the roles that the platform has defined, newest first, with the number of their members.',
  query: Type.Object({
    name: Type.Optional(Text(64, { description: 'The exact name, ignoring case' })),
    ...pageQuery,
  }),
  responses: { 200: Page(MemberRole) },
  errors: ['INVALID_INPUT'],
})

export const member_role_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/member-roles/{memberRoleId}',
  tag,
  summary: 'Read a role',
  description: 'Shows one role. `GET /members?roleId=…` lists its members.',
  params: rolePath,
  responses: { 200: MemberRole },
  errors: ['MEMBER_ROLE_NOT_FOUND'],
})

export const member_role_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/member-roles/{memberRoleId}',
  tag,
  summary: 'Change a role',
  description:
    'Renames a role or changes its permissions, for all its members immediately, also in open sessions. ' +
    'You can add or remove only permissions that you have. Added permissions cancel the invitations that ' +
    'members of the role have not accepted yet. A member cannot take a permission from the last member ' +
    'who has all of them.',
  params: rolePath,
  body: MemberRoleUpdateRequest,
  responses: { 200: MemberRole },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_ROLE_NOT_FOUND', 'MEMBER_ROLE_NAME_EXISTS', 'LAST_OWNER'],
})

export const member_role_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/member-roles/{memberRoleId}',
  tag,
  summary: 'Delete a role',
  description:
    'Deletes a role that no member has. Give its members another role or single permissions first. The caller needs every ' +
    'permission of the role.',
  params: rolePath,
  responses: { 204: null },
  errors: ['FORBIDDEN', 'MEMBER_ROLE_NOT_FOUND', 'MEMBER_ROLE_IN_USE'],
})

export const memberRoles = {
  member_role_create,
  member_role_list,
  member_role_get,
  member_role_update,
  member_role_delete,
}
