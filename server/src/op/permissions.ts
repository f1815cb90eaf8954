import type { Permission } from '@countersign/contract/core/endpoint'
import type { Op } from './app.ts'
import { ApiError, fieldError } from './operation.ts'

type Acting = Pick<Op, 'actor'>

/** Requires a permission of the platform's or a customer's token, or of a member. Error: 403 `FORBIDDEN`, which names it. */
export function checkPermission({ actor }: Acting, permission: Permission): void {
  if ('permissions' in actor && !actor.permissions.includes(permission))
    throw new ApiError('FORBIDDEN', {
      message: `${actor.kind === 'member' ? 'You lack' : 'This token lacks'} the permission ${permission}.`,
      details: { permission },
    })
}

/** Error: 403 `FORBIDDEN` for permissions that the caller lacks: nobody can hand them on. */
export function checkMayGrant({ actor }: Acting, permissions: readonly Permission[]): void {
  if (!('permissions' in actor)) return
  const held: readonly Permission[] = actor.permissions
  const lacking = permissions.filter((permission) => !held.includes(permission))
  if (lacking.length > 0)
    throw fieldError(
      'FORBIDDEN',
      'permissions',
      `${actor.kind === 'member' ? 'You' : 'This token'} cannot grant permissions that ${actor.kind === 'member' ? 'you do' : 'it does'} not have: ${lacking.join(', ')}.`,
    )
}
