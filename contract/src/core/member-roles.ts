import { PERMISSIONS, type Permission } from './endpoint.ts'

/** Built-in roles. Each is only a name for a set of permissions: what is stored is the permissions. */
export const MEMBER_ROLES = {
  OWNER: PERMISSIONS,
  OPERATIONS: ['VIEW', 'TRANSACT', 'APPROVE'],
  COMPLIANCE: ['VIEW', 'APPROVE', 'REVIEW'],
  DEVELOPER: ['VIEW', 'MANAGE'],
  SUPPORT: ['VIEW'],
} as const satisfies Record<string, readonly Permission[]>

export type MemberRole = keyof typeof MEMBER_ROLES
