import { PERMISSIONS } from '@countersign/contract/core/endpoint'
import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { MemberRoleRow, MemberRow } from '../../storage/rows/member.ts'

const ROLE_BY_ID = lookupById('member_roles')

export async function selectRole(op: Op, id: string): Promise<MemberRoleRow | undefined> {
  return op.find(ROLE_BY_ID, id)
}

/** A page of the roles that are not deleted; with `name`, only the role with that name, ignoring case. */
export function selectRoles(op: Op, { name }: { readonly name?: string }) {
  return op.read
    .selectFrom('member_roles')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('deleted_at', 'is', null)
    .$call((q) =>
      name === undefined
        ? q
        : q.where((eb) => eb(eb.fn('lower', ['name']), '=', eb.fn('lower', [eb.val(name)]))),
    )
}

/** The role with this name, ignoring case. */
export async function selectRoleByName(op: Op, name: string): Promise<MemberRoleRow | undefined> {
  return selectRoles(op, { name }).executeTakeFirst()
}

/** Up to `max` members of a role who are not removed. */
export async function selectRoleMembers(op: Op, roleId: string, max: number): Promise<MemberRow[]> {
  return op.read
    .selectFrom('members')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('role_id', '=', roleId)
    .where('state', '<>', 'REMOVED')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** Counts the current members of each role. Roles without members are omitted. */
export async function selectMemberCounts(op: Op, roleIds: readonly string[]): Promise<Map<string, number>> {
  if (roleIds.length === 0) return new Map()
  const rows = await op.read
    .selectFrom('members')
    .select(['role_id', sql<number>`count(*)::int`.as('count')])
    .where('platform_id', '=', op.platform.id)
    .where('role_id', 'in', roleIds)
    .where('state', '<>', 'REMOVED')
    .groupBy('role_id')
    .execute()
  return new Map(rows.flatMap(({ role_id, count }) => (role_id === null ? [] : [[role_id, count] as const])))
}

/** Selects another active member with every permission. */
export async function selectOtherOwner(op: Op, exceptIds: readonly string[]): Promise<MemberRow | undefined> {
  return op.read
    .selectFrom('members')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('state', '=', 'ACTIVE')
    .where('id', 'not in', exceptIds)
    .where(sql<boolean>`permissions @> ${[...PERMISSIONS]}::text[]`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}
