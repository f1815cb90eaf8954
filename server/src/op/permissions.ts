import type { Permission } from '@countersign/contract/core/endpoint'
import type { Op } from './app.ts'
import { ApiError } from './operation.ts'

/** The platform's token has a permission. Error: 403 `FORBIDDEN`, naming it. */
export function checkPermission({ actor }: Pick<Op, 'actor'>, permission: Permission): void {
  if (actor.kind === 'token' && !actor.permissions.includes(permission))
    throw new ApiError('FORBIDDEN', {
      message: `This token does not have the permission ${permission}.`,
      details: { permission },
    })
}
