import { present } from '@countersign/contract/core/objects'
import {
  MEMBER_SESSION_HOURS,
  type MemberIdentity,
  type MemberSession,
  type MemberSignInMethod,
} from '@countersign/contract/platforms/member-sessions'
import { MEMBER_TRANSITIONS } from '@countersign/contract/states/member-states'
import type { Static } from 'typebox'
import { type Actor, type App, addSeconds, newId, type Op } from '../../kernel/operation/app.ts'
import type { Caller } from '../../kernel/operation/operation.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow, MemberSessionRow } from '../../storage/rows/member.ts'
import { toMemberView } from './members.ts'
import { toNotificationsView } from './notifications.ts'
import { hashSecret, makeSecret } from './secrets.ts'
import { selectActingMember, selectRecordPlatform } from './store.ts'

const SESSION_SECONDS = MEMBER_SESSION_HOURS * 60 * 60
/** The precision of a session's last request time. */
const SEEN_SECONDS = 60

type MemberActor = Extract<Actor, { kind: 'member' }>

/**
 * Converts a member who is signing in to a caller, with the id of the session to create. Undefined if the
 * platform is closed.
 */
export async function toCaller(app: App, member: MemberRow): Promise<Caller | undefined> {
  const platform = await selectRecordPlatform(app, member)
  if (!platform) return undefined
  const actor = {
    kind: 'member',
    memberId: member.id,
    memberName: member.name,
    memberSessionId: newId('MemberSession', app.clock()),
    permissions: member.permissions,
  } as const
  return { platform, actor }
}

export function requireActingMember({ actor }: Pick<Op, 'actor'>): MemberActor {
  if (actor.kind !== 'member') throw new Error('The caller is not a member')
  return actor
}

/**
 * Signs a member in: builds the response, its cookie and the writes. `change` also changes the member's row.
 * An invited member becomes active; guards: the member was not removed, and `guard`.
 */
export function signIn(
  op: Op,
  member: MemberRow,
  credential: { readonly method: MemberSignInMethod; readonly passkeyId?: string },
  change: Partial<MemberRow> = {},
  guard: Partial<MemberRow> = {},
) {
  const { secret, hash } = makeSecret(op)
  const row: MemberSessionRow = {
    id: requireActingMember(op).memberSessionId,
    platform_id: op.platform.id,
    member_id: member.id,
    method: credential.method,
    passkey_id: credential.passkeyId ?? null,
    secret_hash: hash,
    address: op.from?.address ?? '',
    user_agent: op.from?.userAgent ?? null,
    last_seen_at: op.now,
    expires_at: addSeconds(op.now, SESSION_SECONDS),
    ended_at: null,
    created_at: op.now,
  }
  const signedIn = { ...change, last_sign_in_at: op.now }
  const moved = transition(op, 'members', MEMBER_TRANSITIONS, member, 'accept', signedIn, guard)
  const writes: Write[] = [moved.write, insert('member_sessions', row)]
  return { status: 201, body: toIdentityView(op, moved.row, row), cookie: { secret }, writes } as const
}

/** Ends a session. Guard: it has not ended. */
export function endSession(op: Op, { id }: Pick<MemberSessionRow, 'id'>): Write {
  return update('member_sessions', id, { ended_at: null }, { ended_at: op.now })
}

/**
 * Finds the member of a session cookie, and updates the session's last request time about once a minute.
 * Throws 401 `UNAUTHORIZED`, or 429 `RATE_LIMITED` for a network address with too many unknown cookies.
 */
export async function authenticateMember(app: App, secret: string, address: string): Promise<Caller> {
  const sessionData = await selectActingMember(app, hashSecret(secret))
  const now = app.clock()
  if (!sessionData || sessionData.expiresAt <= now) {
    app.failedAttempts.check('memberCookiesByAddress', address)
    app.failedAttempts.recordFailure('memberCookiesByAddress', address)
    throw createMissingSessionError('The session has ended. Sign in again.')
  }
  const { platform, expiresAt: _, lastSeenAt, ...member } = sessionData
  // Has no effect if another request has just updated the time.
  if (addSeconds(lastSeenAt, SEEN_SECONDS) <= now)
    await app.committer.commit([
      update('member_sessions', member.memberSessionId, { last_seen_at: lastSeenAt }, { last_seen_at: now }),
    ])
  return { platform, actor: { kind: 'member', ...member } }
}

/**
 * Creates the error for a caller who is not signed in. Its authentication scheme keeps browsers from
 * prompting for a password.
 */
export function createMissingSessionError(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', {
    message: reason,
    reason,
    headers: { 'WWW-Authenticate': 'Member realm="countersign"' },
  })
}

/** The signed-in member and its session, as the API shows them. */
export function toIdentityView(
  op: Op,
  member: MemberRow,
  session: MemberSessionRow,
): Static<typeof MemberIdentity> {
  return {
    member: toMemberView(member),
    platform: {
      id: op.platform.id,
      name: op.platform.name,
      mode: op.mode === 'sandbox' ? 'SANDBOX' : 'PRODUCTION',
      ...present({ otherConsoleUrl: op.otherConsoleUrl && `${op.otherConsoleUrl}/console/` }),
    },
    session: toSessionView(op, session),
    notifications: toNotificationsView(member),
  }
}

/** Converts a session to its API form. */
export function toSessionView(
  { actor }: Pick<Op, 'actor'>,
  row: MemberSessionRow,
): Static<typeof MemberSession> {
  return {
    id: row.id,
    memberId: row.member_id,
    method: row.method,
    address: row.address,
    ...present({ userAgent: row.user_agent }),
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    isCurrent: actor.kind === 'member' && actor.memberSessionId === row.id,
  }
}
