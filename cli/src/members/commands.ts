import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { readPermissions } from '../terminal/permissions.ts'
import {
  type InviteOptions,
  inviteAsOperator,
  inviteMember,
  listMembers,
  removeMember,
  updateMember,
} from './members.ts'
import { createRole, deleteRole, listRoles, type RightsOptions, updateRole } from './roles.ts'

const A_ROLE = `one of ${Object.keys(MEMBER_ROLES).join(', ')}, or the name of a role of the platform`
const A_LIST = 'VIEW, TRANSACT, MANAGE, APPROVE or REVIEW, separated by commas'

/** Adds `countersign member …`. */
export function addMemberCommands(program: Command, done: (exitCode: number) => void): void {
  const member = program.command('member').description('people who sign in to the console of your platform')
  withShellOptions(member.command('invite').description('invite a person and show a one-time sign-in link'))
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'e-mail address, unique on the platform')
    .option('--role <role>', `${A_ROLE} (default: OWNER)`)
    .option('--permissions <list>', `${A_LIST}, instead of a role`, readPermissions)
    .option(
      '--platform <id>',
      'as the operator, directly on the database: for the first member of a platform, or one who is locked out',
    )
    .action(async (options: ShellOptions & InviteOptions & { platform?: string }) => {
      if (options.platform === undefined) return inviteMember(await openShell(options), options)
      done(await inviteAsOperator(options.platform, options, options.json ?? false))
    })
  withShellOptions(member.command('list').description('list the members')).action(
    async (options: ShellOptions) => listMembers(await openShell(options)),
  )
  withShellOptions(
    member
      .command('update <member>')
      .description('change the name, role or permissions of a member, Member:…'),
  )
    .option('--name <name>', 'new name')
    .option('--role <role>', A_ROLE)
    .option('--permissions <list>', `${A_LIST}, instead of a role`, readPermissions)
    .action(async (id: string, options: ShellOptions & RightsOptions & { name?: string }) =>
      updateMember(await openShell(options), id, options),
    )
  withShellOptions(
    member.command('remove <member>').description('remove a member, Member:…, and end their sessions'),
  )
    .option('--yes', 'skip the confirmation')
    .option('--end-tokens', 'also revoke the API tokens that the member has created')
    .action(async (id: string, options: ShellOptions & { yes?: boolean; endTokens?: boolean }) => {
      await confirmAction(`Remove ${id} permanently?`, options.yes)
      await removeMember(await openShell(options), id, options.endTokens ?? false)
    })
}

/** Adds `countersign role …`. */
export function addRoleCommands(program: Command): void {
  const role = program.command('role').description('named sets of permissions for members of your platform')
  withShellOptions(role.command('list').description('list the roles of the platform')).action(
    async (options: ShellOptions) => listRoles(await openShell(options)),
  )
  withShellOptions(role.command('create').description('define a role'))
    .requiredOption('--name <name>', 'name of the role')
    .requiredOption('--permissions <list>', A_LIST, readPermissions)
    .action(
      async ({ name, permissions, ...options }: ShellOptions & { name: string; permissions: Permission[] }) =>
        createRole(await openShell(options), name, permissions),
    )
  withShellOptions(
    role.command('update <role>').description('change a role, by name or MemberRole:…, for all its members'),
  )
    .option('--name <name>', 'new name')
    .option('--permissions <list>', A_LIST, readPermissions)
    .action(
      async (
        id: string,
        { name, permissions, ...options }: ShellOptions & { name?: string; permissions?: Permission[] },
      ) =>
        updateRole(await openShell(options), id, {
          ...(name && { name }),
          ...(permissions && { permissions }),
        }),
    )
  withShellOptions(
    role.command('delete <role>').description('delete a role that no member has, by name or MemberRole:…'),
  ).action(async (id: string, options: ShellOptions) => deleteRole(await openShell(options), id))
}
