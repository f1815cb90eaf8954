import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import type { ItemOf } from '@countersign/sdk'
import { formatInvitation } from '../admin/printers.ts'
import { runOperatorCommand } from '../admin/run.ts'
import { printList, printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { formatTable } from '../terminal/table.ts'
import { findBuiltInRights, type RightsOptions, readRights } from './roles.ts'

type Member = ItemOf<'member_list'>

export interface InviteOptions extends RightsOptions {
  readonly name: string
  readonly email: string
}

/** `countersign member invite` */
export async function inviteMember(shell: Shell, { name, email, ...options }: InviteOptions): Promise<void> {
  const rights = (await readRights(shell.countersign, options)) ?? { permissions: [...MEMBER_ROLES.OWNER] }
  const invitation = await shell.countersign.members.invite({ name, email, ...rights })
  printResult(shell, invitation, formatInvitation(invitation))
}

/**
 * `countersign member invite --platform`: invites a member as the operator, with the server program. Returns
 * the exit code.
 */
export async function inviteAsOperator(
  platform: string,
  { name, email, ...options }: InviteOptions,
  json: boolean,
): Promise<number> {
  const permissions =
    findBuiltInRights(options) ?? (options.role === undefined ? MEMBER_ROLES.OWNER : undefined)
  if (!permissions)
    throw new Failure(
      `With --platform, --role must be one of ${Object.keys(MEMBER_ROLES).join(', ')}, not "${options.role}".`,
    )
  return runOperatorCommand('member invite', {
    platform,
    name,
    email,
    permissions: permissions.join(','),
    json,
  })
}

/** `countersign member list` */
export async function listMembers(shell: Shell): Promise<void> {
  const none = 'There are no members yet: member invite --name NAME --email ADDRESS'
  const toRow = ({ id, status, email, permissions, name }: Member) => [
    id,
    status,
    email,
    permissions.join(','),
    name,
  ]
  const toLines = (members: readonly Member[]) => [formatTable(members.map(toRow), none).trimEnd()]
  await printList(shell, shell.countersign.members.list(), toLines, none)
}

/** `countersign member remove` */
export async function removeMember(shell: Shell, id: string, endTokens: boolean): Promise<void> {
  const member = await shell.countersign.members.get(id)
  const result = await shell.countersign.members.delete(id, { endTokens })
  const tokens = result?.tokens ?? []
  const state = result?.tokensEnded ? 'ended' : 'is still valid: end it with DELETE /tokens/{tokenId}'
  printResult(shell, { removed: id, ...result }, [
    `${member.name} <${member.email}> was removed and signed out everywhere.`,
    ...tokens.map((token) => `API token ${token.name} (${token.id}), made by this member, ${state}`),
  ])
}

/** `countersign member update` */
export async function updateMember(
  shell: Shell,
  id: string,
  { name, ...options }: RightsOptions & { readonly name?: string },
): Promise<void> {
  const rights = await readRights(shell.countersign, options)
  if (name === undefined && rights === undefined)
    throw new Failure('Specify a change: --name, --role or --permissions.')
  const member = await shell.countersign.members.update(id, { ...(name && { name }), ...rights })
  printResult(shell, member, [
    `${member.name} has ${member.permissions.join(', ')}, from the next request on.`,
  ])
}
