import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmed } from '../terminal/confirmation.ts'
import { readPermissions } from '../terminal/permissions.ts'
import {
  type InviteOptions,
  inviteAsOperator,
  inviteMember,
  listMembers,
  readRole,
  removeMember,
} from './members.ts'

/** Adds `countersign member …`. */
export function addMemberCommands(program: Command, done: (exitCode: number) => void): void {
  const member = program.command('member').description('people who sign in to the console of your platform')
  withShellOptions(
    member.command('invite').description('invite a person and show the link to sign in with, once'),
  )
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'e-mail address, by which members are told apart')
    .option('--role <role>', `one of ${Object.keys(MEMBER_ROLES).join(', ')} (default: OWNER)`, readRole)
    .option(
      '--permissions <list>',
      'of VIEW, TRANSACT, MANAGE, APPROVE, REVIEW, separated by commas, in place of a role',
      readPermissions,
    )
    .option(
      '--platform <id>',
      'as the operator, on the database itself: for the first member of a platform, or one who is locked out',
    )
    .action(async (options: ShellOptions & InviteOptions & { platform?: string }) => {
      if (options.platform === undefined) return inviteMember(await openShell(options), options)
      done(await inviteAsOperator(options.platform, options, options.json ?? false))
    })
  withShellOptions(member.command('list').description('list the members')).action(
    async (options: ShellOptions) => listMembers(await openShell(options)),
  )
  withShellOptions(
    member.command('remove <member>').description('remove a member, Member:…, and end its sessions'),
  )
    .option('--yes', 'do not ask')
    .option('--end-tokens', 'also end the API tokens that the member has made')
    .action(async (id: string, options: ShellOptions & { yes?: boolean; endTokens?: boolean }) => {
      await confirmed(`Remove ${id} permanently?`, options.yes)
      await removeMember(await openShell(options), id, options.endTokens ?? false)
    })
}
