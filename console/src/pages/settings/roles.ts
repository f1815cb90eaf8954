import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { keysOf } from '@countersign/contract/core/objects'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'

/** The maximum number of roles that the choice of a role offers. */
const ROLES_MAX = 100

/** A role that the platform has defined. */
export type CustomRole = Awaited<ReturnType<typeof countersign.memberRoles.get>>

/** The roles that the platform has defined, newest first. */
export function useRoles() {
  return useQuery({
    queryKey: ['member-roles'],
    queryFn: async () => (await countersign.memberRoles.list({ limit: ROLES_MAX })).data,
  })
}

/** The rights of a member: the permissions of a role, or some chosen one by one. */
export interface Rights {
  readonly permissions: readonly Permission[]
  readonly roleId?: string
}

/** The rights as requests take them: a role or permissions. */
export function rightsBody({ permissions, roleId }: Rights) {
  return roleId === undefined ? { permissions: [...permissions] } : { roleId }
}

/** The name of the built-in role that has exactly these permissions. */
export function roleOf(permissions: readonly Permission[]): keyof typeof MEMBER_ROLES | undefined {
  const has = new Set(permissions)
  const roles = keysOf(MEMBER_ROLES)
  return roles.find((role) => {
    const needed: readonly Permission[] = MEMBER_ROLES[role]
    return needed.length === has.size && needed.every((one) => has.has(one))
  })
}
