import { present } from '@countersign/contract/core/objects'
import {
  MEMBER_SESSION_HOURS,
  type MemberIdentity,
  type MemberSession,
  type MemberSignInMethod,
} from '@countersign/contract/platforms/member-sessions'
import { MEMBER_TRANSITIONS } from '@countersign/contract/states/member-states'
import type { Static } from 'typebox'
import { type Actor, type App, newId, type Op, plusSeconds } from '../../kernel/operation/app.ts'
import type { Caller } from '../../kernel/operation/operation.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { MemberRow, MemberSessionRow } from '../../storage/rows/member.ts'
import { memberView } from './members.ts'
import { notificationsView } from './notifications.ts'
import { hashOf, makeSecret } from './secrets.ts'
import { selectActingMember, selectPlatformOf } from './store.ts'

const SESSION_SECONDS = MEMBER_SESSION_HOURS * 60 * 60
/** The precision of a session's last request time. */
const SEEN_SECONDS = 60

type MemberActor = Extract<Actor, { kind: 'member' }>

/**
 * The member who is signing in, as caller, with the id of the session that this request creates. Undefined if
 * the platform is closed.
 */
export async function toCaller(app: App, member: MemberRow): Promise<Caller | undefined> {
  const platform = await selectPlatformOf(app, member)
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

/** The member who called an operation that is only for members. */
export function actingMember({ actor }: Pick<Op, 'actor'>): MemberActor {
  if (actor.kind !== 'member') throw new Error('No member is acting')
  return actor
}

/**
 * Signs a member in: the response, its cookie and the writes. `change` is added to the change of the member's
 * row. An invited member becomes active; guards: the member was not removed, and `guard`.
 */
export function signIn(
  op: Op,
  member: MemberRow,
  by: { readonly method: MemberSignInMethod; readonly passkeyId?: string },
  change: Partial<MemberRow> = {},
  guard: Partial<MemberRow> = {},
) {
  const { secret, hash } = makeSecret(op)
  const row: MemberSessionRow = {
    id: actingMember(op).memberSessionId,
    platform_id: op.platform.id,
    member_id: member.id,
    method: by.method,
    passkey_id: by.passkeyId ?? null,
    secret_hash: hash,
    address: op.from?.address ?? '',
    user_agent: op.from?.userAgent ?? null,
    last_seen_at: op.now,
    expires_at: plusSeconds(op.now, SESSION_SECONDS),
    ended_at: null,
    created_at: op.now,
  }
  const signedIn = { ...change, last_sign_in_at: op.now }
  const moved = transition(op, 'members', MEMBER_TRANSITIONS, member, 'accept', signedIn, guard)
  const writes: Write[] = [moved.write, insert('member_sessions', row)]
  return { status: 201, body: identityView(op, moved.row, row), cookie: { secret }, writes } as const
}

/** Ends a session. Guard: it has not ended. */
export function endSession(op: Op, { id }: Pick<MemberSessionRow, 'id'>): Write {
  return update('member_sessions', id, { ended_at: null }, { ended_at: op.now })
}

/**
 * The member whose session this cookie belongs to. Updates the time of the session's last request about once
 * a minute. Throws 401 `UNAUTHORIZED`, 429 `RATE_LIMITED` for a network address with too many unknown
 * cookies.
 */
export async function authenticateMember(app: App, secret: string, address: string): Promise<Caller> {
  const found = await selectActingMember(app, hashOf(secret))
  const now = app.clock()
  if (!found || found.expiresAt <= now) {
    app.failedAttempts.check('memberCookiesByAddress', address)
    app.failedAttempts.recordFailure('memberCookiesByAddress', address)
    throw missingSessionRefusal('The session has ended. Sign in again.')
  }
  const { platform, expiresAt: _, lastSeenAt, ...member } = found
  // Has no effect if another request has just updated the time.
  if (plusSeconds(lastSeenAt, SEEN_SECONDS) <= now)
    await app.committer.commit([
      update('member_sessions', member.memberSessionId, { last_seen_at: lastSeenAt }, { last_seen_at: now }),
    ])
  return { platform, actor: { kind: 'member', ...member } }
}

/**
 * The error if nobody is signed in. With this authentication scheme, browsers do not prompt for a password.
 */
export function missingSessionRefusal(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', {
    message: reason,
    reason,
    headers: { 'WWW-Authenticate': 'Member realm="countersign"' },
  })
}

/** The signed-in member and its session, as the API shows them. */
export function identityView(
  op: Op,
  member: MemberRow,
  session: MemberSessionRow,
): Static<typeof MemberIdentity> {
  return {
    member: memberView(member),
    platform: {
      id: op.platform.id,
      name: op.platform.name,
      mode: op.mode === 'sandbox' ? 'SANDBOX' : 'PRODUCTION',
      ...present({ otherConsoleUrl: op.otherConsoleUrl && `${op.otherConsoleUrl}/console/` }),
    },
    session: sessionView(op, session),
    notifications: notificationsView(member),
  }
}

/** A session as the API shows it. */
export function sessionView(
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
