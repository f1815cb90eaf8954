import { PERMISSIONS, type Permission } from './endpoint.ts'

/** Roles for pages and programs that offer them: names for sets of permissions, which is all that is stored. */
export const MEMBER_ROLES = {
  OWNER: PERMISSIONS,
  OPERATIONS: ['VIEW', 'TRANSACT', 'APPROVE'],
  COMPLIANCE: ['VIEW', 'APPROVE', 'REVIEW'],
  DEVELOPER: ['VIEW', 'MANAGE'],
  SUPPORT: ['VIEW'],
} as const satisfies Record<string, readonly Permission[]>

export type MemberRole = keyof typeof MEMBER_ROLES
