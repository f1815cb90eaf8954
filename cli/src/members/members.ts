import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { memberOf } from '@countersign/contract/core/objects'
import type { ItemOf } from '@countersign/sdk'
import { invitedRows } from '../admin/printers.ts'
import { runOperatorCommand } from '../admin/run.ts'
import { type Shell, say } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { tableOf } from '../terminal/table.ts'

type Member = ItemOf<'member_list'>

export interface InviteOptions {
  readonly name: string
  readonly email: string
  readonly role?: string
  readonly permissions?: readonly string[]
}

/** `countersign member invite` */
export async function inviteMember(shell: Shell, { name, email, ...options }: InviteOptions): Promise<void> {
  const permissions = permissionsOf(options) as Member['permissions']
  const invited = await shell.countersign.members.invite({ name, email, permissions })
  say(shell, invited, invitedRows(invited))
}

/** `countersign member invite --platform`, as the operator: returns the exit code. */
export async function inviteAsOperator(
  platform: string,
  { name, email, ...options }: InviteOptions,
  json: boolean,
): Promise<number> {
  const permissions = permissionsOf(options).join(',')
  return runOperatorCommand('member invite', { platform, name, email, permissions, json })
}

/** `countersign member list` */
export async function listMembers(shell: Shell): Promise<void> {
  const members: Member[] = []
  for await (const member of shell.countersign.members.list()) members.push(member)
  const rows = members.map(({ id, status, email, permissions, name }) => [
    id,
    status,
    email,
    permissions.join(','),
    name,
  ])
  say(shell, members, [
    tableOf(rows, 'There are no members yet: member invite --name NAME --email ADDRESS').trimEnd(),
  ])
}

/** `countersign member remove` */
export async function removeMember(shell: Shell, id: string, endTokens: boolean): Promise<void> {
  const member = await shell.countersign.members.get(id)
  const left = await shell.countersign.members.delete(id, { endTokens })
  const tokens = left?.tokens ?? []
  const state = left?.tokensEnded ? 'ended' : 'is still valid: end it with DELETE /tokens/{tokenId}'
  say(shell, { removed: id, ...left }, [
    `${member.name} <${member.email}> was removed, and is signed out everywhere.`,
    ...tokens.map((token) => `API token ${token.name} (${token.id}), made by this member, ${state}`),
  ])
}

/** The permissions of a role, or the named permissions; all if neither is given. Throws Failure. */
function permissionsOf({
  role,
  permissions,
}: Pick<InviteOptions, 'role' | 'permissions'>): readonly string[] {
  if (role !== undefined && permissions !== undefined)
    throw new Failure('Give --role or --permissions, not both: a role is a name for permissions.')
  const ofRole = role === undefined ? MEMBER_ROLES.OWNER : memberOf<readonly string[]>(MEMBER_ROLES, role)
  return permissions ?? ofRole ?? []
}

/** Reads a role, in any case. Throws Failure for an unknown one. */
export function readRole(text: string): string {
  const role = text.toUpperCase()
  if (!Object.hasOwn(MEMBER_ROLES, role))
    throw new Failure(`--role takes ${Object.keys(MEMBER_ROLES).join(', ')}; not "${text}".`)
  return role
}
