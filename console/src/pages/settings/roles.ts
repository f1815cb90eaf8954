import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { keysOf } from '@countersign/contract/core/objects'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'

/** Maximum number of roles offered as choices. */
const ROLES_MAX = 100

/** A role defined by the platform. */
export type CustomRole = Awaited<ReturnType<typeof countersign.memberRoles.get>>

/** Loads the roles defined by the platform, newest first. */
export function useRoles() {
  return useQuery({
    queryKey: ['member-roles'],
    queryFn: async () => (await countersign.memberRoles.list({ limit: ROLES_MAX })).data,
  })
}

/** A member's rights: the permissions of a role, or individually chosen permissions. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly roleId?: string
}

/** Converts rights to the API's format: a role or permissions. */
export function toRightsBody({ permissions, roleId }: Rights) {
  return roleId === undefined ? { permissions: [...permissions] } : { roleId }
}

/** Finds the built-in role with exactly these permissions. */
export function findBuiltInRole(permissions: readonly Permission[]): keyof typeof MEMBER_ROLES | undefined {
  const has = new Set(permissions)
  const roles = keysOf(MEMBER_ROLES)
  return roles.find((role) => {
    const needed: readonly Permission[] = MEMBER_ROLES[role]
    return needed.length === has.size && needed.every((permission) => has.has(permission))
  })
}
