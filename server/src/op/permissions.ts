import type { Permission } from '@countersign/contract/core/endpoint'
import type { Op } from './app.ts'
import { ApiError } from './operation.ts'

/** Requires a permission of the platform's or a customer's token. Error: 403 `FORBIDDEN`, which names it. */
export function checkPermission({ actor }: Pick<Op, 'actor'>, permission: Permission): void {
  if ('permissions' in actor && !actor.permissions.includes(permission))
    throw new ApiError('FORBIDDEN', {
      message: `This token lacks the permission ${permission}.`,
      details: { permission },
    })
}
