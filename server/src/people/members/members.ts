import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { NO_NOTIFICATIONS } from '@countersign/contract/operation/member-notifications'
import type { Member } from '@countersign/contract/platforms/members'
import { MEMBER_INITIAL, MEMBER_TRANSITIONS } from '@countersign/contract/states/member-states'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { selectMember, selectMemberByEmail } from './store.ts'

/**
 * The team members of a platform. Their times are in real time: use operations from `toRealTimeOp()` here.
 */

/** Throws 404 `MEMBER_NOT_FOUND`. */
export async function findMember(op: Op, id: string): Promise<MemberRow> {
  const member = await selectMember(op, id)
  if (!member) throw createNotFoundError()
  return member
}

/** Finds a member who was not removed. Throws 404 `MEMBER_NOT_FOUND`. */
export async function findPresentMember(op: Op, id: string): Promise<MemberRow> {
  const member = await findMember(op, id)
  if (!isPresent(member)) throw createNotFoundError()
  return member
}

/** True if the member is active or may become active. */
export function isPresent({ state }: Pick<MemberRow, 'state'>): boolean {
  return nextState(MEMBER_TRANSITIONS, state, 'accept') !== null
}

function createNotFoundError(): ApiError {
  return new ApiError('MEMBER_NOT_FOUND', { details: { field: 'memberId' } })
}

/** The data of a new member. `permissions` come from the role if the member has one. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly permissions: readonly Permission[]
  readonly role_id?: string | null
}

/** Creates an invited member. Guard: no other member of the platform has the address. */
export function makeMember(
  op: Op,
  { name, email, permissions, role_id = null }: Person,
  invitationId: string | null,
): { readonly row: MemberRow; readonly write: Write } {
  const row: MemberRow = {
    id: op.newId('Member'),
    platform_id: op.platform.id,
    name,
    email,
    permissions: sortPermissions(permissions),
    role_id,
    state: MEMBER_INITIAL,
    invitation_id: invitationId,
    code_id: null,
    last_sign_in_at: null,
    notify_by: null,
    notify_about: [...NO_NOTIFICATIONS.topics],
    notify_minutes: NO_NOTIFICATIONS.intervalMinutes,
    digest_job_id: null,
    digest_records: [],
    version: 1,
    created_at: op.now,
    updated_at: op.now,
  }
  return { row, write: insert('members', row) }
}

/** Throws 409 `MEMBER_EMAIL_EXISTS` if another member has the address, ignoring case. */
export async function checkEmailIsFree(op: Op, email: string): Promise<void> {
  const existing = await selectMemberByEmail(op, email)
  if (existing)
    throw new ApiError('MEMBER_EMAIL_EXISTS', {
      message: `A member with this e-mail address already exists: ${existing.id}. Renew the invitation of that member instead.`,
      details: { field: 'email', memberId: existing.id },
    })
}

/** Sorts permissions in the order of the contract. */
export function sortPermissions(permissions: readonly Permission[]): Permission[] {
  return PERMISSIONS.filter((permission) => permissions.includes(permission))
}

/** Converts a member to its API form. */
export function toMemberView(row: MemberRow): Static<typeof Member> {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    permissions: row.permissions,
    ...present({ roleId: row.role_id }),
    status: row.state,
    ...present({ lastSignInAt: row.last_sign_in_at?.toISOString() }),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
