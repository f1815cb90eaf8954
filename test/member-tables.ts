import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { formatMarkdownTable } from './markdown-table.ts'

/** The roles offered by the console and the command line. */
export function formatMemberRoleTable(): string {
  return formatMarkdownTable(
    ['role', 'permissions'],
    Object.entries(MEMBER_ROLES).map(([role, permissions]) => [
      `\`${role}\``,
      permissions.map((permission) => `\`${permission}\``).join(', '),
    ]),
  )
}
