import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { present } from '@countersign/contract/core/objects'
import { type MemberRole, ROLE_MEMBERS_MAX } from '@countersign/contract/operation/custom-roles'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRoleRow, MemberRow } from '../../storage/rows/member.ts'
import { selectMemberCounts, selectOtherOwner, selectRole, selectRoleByName } from './role-store.ts'

/**
 * Roles that a platform defines. Each member's row has the permissions of its role, and a change of the role
 * changes the rows of its members in the same write set. Every change of a role or its set of members raises
 * its version.
 */

/** Error: 404 `MEMBER_ROLE_NOT_FOUND`, which names `field`. */
export async function findRole(op: Op, id: string, field = 'memberRoleId'): Promise<MemberRoleRow> {
  const role = await selectRole(op, id)
  if (!role || role.deleted_at) throw new ApiError('MEMBER_ROLE_NOT_FOUND', { details: { field } })
  return role
}

/** Error: 409 `MEMBER_ROLE_NAME_EXISTS`, or 400 `INVALID_INPUT` for the name of a built-in role; in any case. */
export async function checkNameIsFree(op: Op, name: string, ownId?: string): Promise<void> {
  if (Object.hasOwn(MEMBER_ROLES, name.toUpperCase()))
    throw fieldError('INVALID_INPUT', 'name', `name must differ from the built-in role ${name.toUpperCase()}`)
  const existing = await selectRoleByName(op, name)
  if (existing && existing.id !== ownId)
    throw new ApiError('MEMBER_ROLE_NAME_EXISTS', { details: { field: 'name', memberRoleId: existing.id } })
}

/** A member's rights, and the role that they come from. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly role_id: string | null
  /** Guard: the role is unchanged, and its new member is counted. */
  readonly writes: readonly Write[]
}

/**
 * The rights that a request chooses; undefined if it chooses none. Errors: 400 `INVALID_INPUT` for both
 * together or for a full role, 404 `MEMBER_ROLE_NOT_FOUND`.
 */
export async function readRights(
  op: Op,
  { permissions, roleId }: { readonly permissions?: readonly Permission[]; readonly roleId?: string },
): Promise<Rights | undefined> {
  if (roleId === undefined) return permissions && { permissions, role_id: null, writes: [] }
  if (permissions) throw fieldError('INVALID_INPUT', 'roleId', 'Give permissions or roleId, not both')
  const role = await findRole(op, roleId, 'roleId')
  if ((await countMembers(op, role.id)) >= ROLE_MEMBERS_MAX)
    throw fieldError(
      'INVALID_INPUT',
      'roleId',
      `The role already has ${ROLE_MEMBERS_MAX} members, the most it can have`,
    )
  return { permissions: role.permissions, role_id: role.id, writes: [raiseVersion(role)] }
}

/** Guard: the role and its members are unchanged since they were read. */
export function raiseVersion({ id, version }: MemberRoleRow, change: Partial<MemberRoleRow> = {}): Write {
  return update('member_roles', id, { version, deleted_at: null }, { ...change, version: version + 1 })
}

/** True for a member who has every permission and can use it. */
export function isOwner({ state, permissions }: Pick<MemberRow, 'state' | 'permissions'>): boolean {
  return state === 'ACTIVE' && PERMISSIONS.every((one) => permissions.includes(one))
}

/**
 * Guard that another active member has every permission, if a member takes some from these. Error: 409 `LAST_OWNER`. API
 * tokens and the operator are free to: they can invite the next owner.
 */
export async function ownerStays(op: Op, reduced: readonly MemberRow[]): Promise<readonly Write[]> {
  if (op.actor.kind !== 'member' || !reduced.some(isOwner)) return []
  const other = await selectOtherOwner(
    op,
    reduced.map(({ id }) => id),
  )
  if (!other) throw new ApiError('LAST_OWNER', { details: { field: 'permissions' } })
  return [expectRow('members', other.id, { state: other.state, version: other.version })]
}

export async function countMembers(op: Op, roleId: string): Promise<number> {
  return (await selectMemberCounts(op, [roleId])).get(roleId) ?? 0
}

/** A role as the API shows it. */
export function roleView(row: MemberRoleRow, memberCount: number): Static<typeof MemberRole> {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    memberCount,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    ...present({ deletedAt: row.deleted_at?.toISOString() }),
  }
}

/** The event for a changed role. */
export function roleChanged(op: Op, view: Static<typeof MemberRole>): Write {
  return event(op, 'MEMBER_ROLE.CHANGED', view.id, view)
}
