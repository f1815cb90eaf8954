import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { present } from '@countersign/contract/core/objects'
import { type MemberRole, ROLE_MEMBERS_MAX } from '@countersign/contract/operation/custom-roles'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import { expectRow, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRoleRow, MemberRow } from '../../storage/rows/member.ts'
import { selectMemberCounts, selectOtherOwner, selectRole, selectRoleByName } from './role-store.ts'

/**
 * Roles defined by a platform. Each member's row repeats the permissions of its role, so a change of the role
 * changes these rows in the same write set. Every change of a role or of its members increments its version.
 */

/** Throws 404 `MEMBER_ROLE_NOT_FOUND`, naming `field`. */
export async function findRole(op: Op, id: string, field = 'memberRoleId'): Promise<MemberRoleRow> {
  const role = await selectRole(op, id)
  if (!role || role.deleted_at) throw new ApiError('MEMBER_ROLE_NOT_FOUND', { details: { field } })
  return role
}

/**
 * Throws 409 `MEMBER_ROLE_NAME_EXISTS`, or 400 `INVALID_INPUT` for the name of a built-in role. Ignores case.
 */
export async function checkNameIsFree(op: Op, name: string, ownId?: string): Promise<void> {
  if (Object.hasOwn(MEMBER_ROLES, name.toUpperCase()))
    throw createFieldError(
      'INVALID_INPUT',
      'name',
      `name must differ from the built-in role ${name.toUpperCase()}`,
    )
  const existing = await selectRoleByName(op, name)
  if (existing && existing.id !== ownId)
    throw new ApiError('MEMBER_ROLE_NAME_EXISTS', { details: { field: 'name', memberRoleId: existing.id } })
}

/** The permissions of a member, and the role that grants them. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly role_id: string | null
  /** Guard: the role is unchanged, and the new member is counted. */
  readonly writes: readonly Write[]
}

/**
 * Reads the permissions that a request gives to a member; undefined if it gives none. Throws 400
 * `INVALID_INPUT` if it has both permissions and a role, or if the role is full; 404 `MEMBER_ROLE_NOT_FOUND`.
 */
export async function readRights(
  op: Op,
  { permissions, roleId }: { readonly permissions?: readonly Permission[]; readonly roleId?: string },
): Promise<Rights | undefined> {
  if (roleId === undefined) return permissions && { permissions, role_id: null, writes: [] }
  if (permissions) throw createFieldError('INVALID_INPUT', 'roleId', 'Send permissions or roleId, not both.')
  const role = await findRole(op, roleId, 'roleId')
  if ((await countMembers(op, role.id)) >= ROLE_MEMBERS_MAX)
    throw createFieldError(
      'INVALID_INPUT',
      'roleId',
      `The role already has the maximum of ${ROLE_MEMBERS_MAX} members.`,
    )
  return { permissions: role.permissions, role_id: role.id, writes: [raiseVersion(role)] }
}

/** Guard: the role and its set of members are unchanged. */
export function raiseVersion({ id, version }: MemberRoleRow, change: Partial<MemberRoleRow> = {}): Write {
  return update('member_roles', id, { version, deleted_at: null }, { ...change, version: version + 1 })
}

/** True if the member is active and has every permission. */
export function isOwner({ state, permissions }: Pick<MemberRow, 'state' | 'permissions'>): boolean {
  return state === 'ACTIVE' && PERMISSIONS.every((permission) => permissions.includes(permission))
}

/**
 * Guards that another active member keeps every permission if a member reduces the permissions of `reduced`.
 * Throws 409 `LAST_OWNER`. API tokens and the operator are not restricted, because they can invite another
 * owner.
 */
export async function guardOwnerRemains(op: Op, reduced: readonly MemberRow[]): Promise<readonly Write[]> {
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

/** Converts a role to its API form. */
export function toRoleView(row: MemberRoleRow, memberCount: number): Static<typeof MemberRole> {
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

export function buildRoleEvent(op: Op, view: Static<typeof MemberRole>): Write {
  return event(op, 'MEMBER_ROLE.CHANGED', view.id, view)
}
