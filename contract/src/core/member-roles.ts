import { PERMISSIONS, type Permission } from './endpoint.ts'

/** Roles that pages and programs offer. Each is a name for a set of permissions; only the permissions are stored. */
export const MEMBER_ROLES = {
  OWNER: PERMISSIONS,
  OPERATIONS: ['VIEW', 'TRANSACT', 'APPROVE'],
  COMPLIANCE: ['VIEW', 'APPROVE', 'REVIEW'],
  DEVELOPER: ['VIEW', 'MANAGE'],
  SUPPORT: ['VIEW'],
} as const satisfies Record<string, readonly Permission[]>

export type MemberRole = keyof typeof MEMBER_ROLES
