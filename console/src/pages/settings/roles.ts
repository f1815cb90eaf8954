import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES, type MemberRole } from '@countersign/contract/core/member-roles'
import { keysOf } from '@countersign/contract/core/objects'

/** The role that has exactly these permissions. */
export function roleOf(permissions: readonly Permission[]): MemberRole | undefined {
  const has = new Set(permissions)
  const roles = keysOf(MEMBER_ROLES)
  return roles.find((role) => {
    const needed: readonly Permission[] = MEMBER_ROLES[role]
    return needed.length === has.size && needed.every((one) => has.has(one))
  })
}
