import type { Permission } from '@countersign/contract/core/endpoint'
import type { Op } from './app.ts'
import { ApiError, createFieldError } from './operation.ts'

type Acting = Pick<Op, 'actor'>

/**
 * Requires a permission of a platform's or customer's token, or of a team member. `or` is an accepted
 * alternative. Throws 403 `FORBIDDEN`, naming the permission.
 */
export function checkPermission({ actor }: Acting, permission: Permission, or = permission): void {
  if (!('permissions' in actor)) return
  const ownPermissions: readonly Permission[] = actor.permissions
  if (!ownPermissions.includes(permission) && !ownPermissions.includes(or))
    throw new ApiError('FORBIDDEN', {
      message: `${actor.kind === 'member' ? 'You lack' : 'This token lacks'} the permission ${or === permission ? permission : `${permission} or ${or}`}.`,
      details: { permission },
    })
}

/** True if the caller has all these permissions. */
export function canGrant(op: Acting, permissions: readonly Permission[]): boolean {
  return findLacking(op, permissions).length === 0
}

function findLacking({ actor }: Acting, permissions: readonly Permission[]): readonly Permission[] {
  if (!('permissions' in actor)) return []
  const ownPermissions: readonly Permission[] = actor.permissions
  return permissions.filter((permission) => !ownPermissions.includes(permission))
}

/**
 * Throws 403 `FORBIDDEN` for permissions that the caller lacks, which it may not revoke from others either.
 */
export function checkCanRevoke(
  { actor }: Acting,
  permissions: readonly Permission[],
  holder: 'The member' | 'The role' = 'The member',
): void {
  const missing = findLacking({ actor }, permissions)
  if (missing.length > 0)
    throw createFieldError(
      'FORBIDDEN',
      'permissions',
      `${holder} has permissions that ${actor.kind === 'member' ? 'you do' : 'this token does'} not have: ${missing.join(', ')}. Only someone who has them can revoke them.`,
    )
}

/** Throws 403 `FORBIDDEN` for permissions that the caller lacks and may therefore not grant. */
export function checkMayGrant({ actor }: Acting, permissions: readonly Permission[]): void {
  const missing = findLacking({ actor }, permissions)
  if (missing.length > 0)
    throw createFieldError(
      'FORBIDDEN',
      'permissions',
      `${actor.kind === 'member' ? 'You' : 'This token'} cannot grant permissions that ${actor.kind === 'member' ? 'you do' : 'it does'} not have: ${missing.join(', ')}.`,
    )
}
