import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { getOwnValue } from '@countersign/contract/core/objects'
import type { Countersign, ItemOf } from '@countersign/sdk'
import { printList, printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { formatTable } from '../terminal/table.ts'

type Role = ItemOf<'member_role_list'>
type Permissions = Role['permissions']

export interface RightsOptions {
  readonly role?: string
  readonly permissions?: Permissions
}

/**
 * Resolves the options to the rights in a request: permissions, or the id of a role. A built-in role becomes
 * its permissions. Undefined if the options name no rights; throws Failure.
 */
export async function readRights(
  { memberRoles }: Countersign,
  options: RightsOptions,
): Promise<{ permissions: Permissions } | { roleId: string } | undefined> {
  const permissions = findBuiltInRights(options)
  if (permissions !== undefined) return { permissions }
  return options.role === undefined ? undefined : { roleId: (await findRole(memberRoles, options.role)).id }
}

/**
 * Returns the permissions given directly or by a built-in role, or undefined. Throws Failure if both options
 * are given.
 */
export function findBuiltInRights({ role, permissions }: RightsOptions): Permissions | undefined {
  if (role !== undefined && permissions !== undefined)
    throw new Failure('Use --role or --permissions, not both.')
  if (permissions || role === undefined) return permissions
  const builtIn = getOwnValue<readonly Permission[]>(MEMBER_ROLES, role.toUpperCase())
  return builtIn && [...builtIn]
}

/** Finds a role of the platform by id or name, ignoring case. Throws Failure. */
async function findRole(memberRoles: Countersign['memberRoles'], idOrName: string): Promise<Role> {
  if (idOrName.startsWith('MemberRole:')) return memberRoles.get(idOrName)
  const [role] = (await memberRoles.list({ name: idOrName, limit: 1 })).data
  if (!role)
    throw new Failure(
      `Role "${idOrName}" not found. Built-in roles: ${Object.keys(MEMBER_ROLES).join(', ')}. The command role list shows the others.`,
    )
  return role
}

/** `countersign role list` */
export async function listRoles(shell: Shell): Promise<void> {
  const none = 'No custom roles yet. Create one: role create --name NAME --permissions LIST'
  const toRow = ({ id, name, permissions, memberCount }: Role) => [
    id,
    String(memberCount),
    permissions.join(','),
    name,
  ]
  const toLines = (roles: readonly Role[]) => [formatTable(roles.map(toRow), none).trimEnd()]
  await printList(shell, shell.countersign.memberRoles.list(), toLines, none)
}

/** `countersign role create` */
export async function createRole(shell: Shell, name: string, permissions: Permissions): Promise<void> {
  const role = await shell.countersign.memberRoles.create({ name, permissions })
  printResult(shell, role, [`Role ${role.name} created as ${role.id}, with ${role.permissions.join(', ')}.`])
}

/** `countersign role update` */
export async function updateRole(
  shell: Shell,
  idOrName: string,
  change: { readonly name?: string; readonly permissions?: Permissions },
): Promise<void> {
  const { memberRoles } = shell.countersign
  const { id } = await findRole(memberRoles, idOrName)
  const role = await memberRoles.update(id, change)
  printResult(shell, role, [`${role.name} has ${role.permissions.join(', ')}. Members: ${role.memberCount}.`])
}

/** `countersign role delete` */
export async function deleteRole(shell: Shell, idOrName: string): Promise<void> {
  const { memberRoles } = shell.countersign
  const { id, name } = await findRole(memberRoles, idOrName)
  await memberRoles.delete(id)
  printResult(shell, { deleted: id }, [`Role ${name} deleted.`])
}
