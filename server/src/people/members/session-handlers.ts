import { randomBytes } from 'node:crypto'
import type { memberSelf } from '@countersign/contract/platforms/member-passkeys'
import { MEMBER_SESSIONS_MAX, type memberSessions } from '@countersign/contract/platforms/member-sessions'
import type { sandboxConsole } from '@countersign/contract/sandbox/sandbox-console'
import { type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { checkMayGrant, checkPermission } from '../../kernel/operation/permissions.ts'
import { update } from '../../storage/commit/writes.ts'
import { canDeliver } from '../messages/channels.ts'
import { computeCodeExpiry, sendCode } from './email-codes.ts'
import { makeConsoleLink } from './links.ts'
import { findMember } from './members.ts'
import { changeNotifications } from './notifications.ts'
import {
  buildPasskeyOptions,
  makeSignInChallenge,
  registerPasskey,
  requireRelyingParty,
  toPasskeyView,
} from './passkeys.ts'
import { endSession, requireActingMember, toIdentityView, toSessionView } from './sessions.ts'
import { nameCredential, resolveMember, signInWithCredential } from './sign-in.ts'
import {
  selectMembersByEmail,
  selectPasskeys,
  selectRecordPlatform,
  selectSession,
  selectSessions,
} from './store.ts'

export const memberSessionHandlers: Handlers<typeof memberSessions> = {
  member_sign_in_challenge: {
    resolveCaller: async (app, _input, { ownOrigin }) => ({
      status: 200,
      body: makeSignInChallenge(app, randomBytes, ownOrigin),
    }),
    handle: rejectPlatformCall,
  },

  member_sign_in: {
    resolveCaller: (app, { body }) => resolveMember(app, body),
    nameCredential: ({ body }) => nameCredential(body),
    handle: (op, { body }) => signInWithCredential(op, body),
  },

  member_code_create: {
    async resolveCaller(app, { body }) {
      if (!canDeliver({ mode: app.config.mode, delivery: app.delivery }, 'EMAIL'))
        throw new ApiError('NOT_IMPLEMENTED', {
          message:
            'Sign-in codes cannot be emailed because SMTP_URL is not set. Set it, or sign in with a passkey.',
        })
      const email = body.email.toLowerCase()
      app.failedAttempts.check('memberCodesByEmail', email)
      app.failedAttempts.recordFailure('memberCodesByEmail', email)
      const [member] = await selectMembersByEmail(app, body.email, body.platformId)
      const platform = member && (await selectRecordPlatform(app, member))
      if (!platform) return { status: 202, body: { expiresAt: computeCodeExpiry(app.clock()).toISOString() } }
      return { platform, actor: { kind: 'visitor', memberId: member.id } }
    },
    async handle(op) {
      if (op.actor.kind !== 'visitor') throw new Error('The caller must be a visitor')
      return {
        status: 202,
        body: { expiresAt: computeCodeExpiry(toRealTimeOp(op).now).toISOString() },
        writes: await sendCode(op, op.actor.memberId),
      }
    },
  },

  member_session_list: async (platformOp, { query }) => {
    const op = toRealTimeOp(platformOp)
    const ownId = op.actor.kind === 'member' ? op.actor.memberId : undefined
    const memberId = query.memberId ?? ownId
    if (memberId !== undefined && memberId !== ownId) checkPermission(op, 'MANAGE')
    if (memberId !== undefined) await findMember(op, memberId)
    const rows =
      memberId !== undefined || canManageMembers(op)
        ? await selectSessions(op, memberId, MEMBER_SESSIONS_MAX)
        : []
    return { status: 200, body: { data: rows.map((row) => toSessionView(op, row)) } }
  },

  member_session_delete: async (platformOp, { params }) => {
    const op = toRealTimeOp(platformOp)
    const session = await selectSession(op, params.memberSessionId)
    const isOwn = op.actor.kind === 'member' && session?.member_id === op.actor.memberId
    if (!session || session.ended_at || session.expires_at <= op.now)
      throw new ApiError('SESSION_NOT_FOUND', { details: { field: 'memberSessionId' } })
    if (!isOwn) checkPermission(op, 'MANAGE')
    return { status: 204, body: undefined, writes: [endSession(op, session)] }
  },
}

function canManageMembers({ actor }: Op): boolean {
  return 'permissions' in actor && actor.permissions.some((permission) => permission === 'MANAGE')
}

async function rejectPlatformCall(): Promise<never> {
  throw new Error('This call is not scoped to a platform')
}

export const memberSelfHandlers: Handlers<typeof memberSelf> = {
  member_me_get: async (op) => {
    const { memberId, memberSessionId } = requireActingMember(op)
    const member = await findMember(op, memberId)
    const session = await selectSession(op, memberSessionId)
    if (!session) throw new Error('The member has no session')
    return { status: 200, body: toIdentityView(op, member, session) }
  },

  member_me_update: async (op, { body }) => {
    const { memberId, memberSessionId } = requireActingMember(op)
    const session = await selectSession(op, memberSessionId)
    if (!session) throw new Error('The member has no session')
    const { row, writes } = changeNotifications(op, await findMember(op, memberId), body.notifications)
    return { status: 200, body: toIdentityView(op, row, session), writes }
  },

  member_sign_out: async (platformOp) => {
    const op = toRealTimeOp(platformOp)
    const id = requireActingMember(op).memberSessionId
    const session = await selectSession(op, id)
    return {
      status: 204,
      body: undefined,
      cookie: 'none',
      writes: session && !session.ended_at ? [endSession(op, session)] : [],
    }
  },

  member_passkey_list: async (op) => {
    const rows = await selectPasskeys(op, requireActingMember(op).memberId)
    return { status: 200, body: { data: rows.map(toPasskeyView) } }
  },

  member_passkey_challenge: async (platformOp) => {
    const op = toRealTimeOp(platformOp)
    const member = await findMember(op, requireActingMember(op).memberId)
    return { status: 200, body: await buildPasskeyOptions(op, member, requireRelyingParty(op)) }
  },

  member_passkey_create: async (platformOp, { body }) => {
    const op = toRealTimeOp(platformOp)
    const member = await findMember(op, requireActingMember(op).memberId)
    const { row, write } = await registerPasskey(op, member, body)
    return { status: 201, body: toPasskeyView(row), writes: [write] }
  },

  member_passkey_delete: async (platformOp, { params }) => {
    const op = toRealTimeOp(platformOp)
    const passkeys = await selectPasskeys(op, requireActingMember(op).memberId)
    const passkey = passkeys.find(({ id }) => id === params.memberPasskeyId)
    if (!passkey) throw new ApiError('CREDENTIAL_NOT_FOUND', { details: { field: 'memberPasskeyId' } })
    return {
      status: 204,
      body: undefined,
      writes: [update('member_passkeys', passkey.id, { removed_at: null }, { removed_at: op.now })],
    }
  },
}

export const sandboxConsoleHandlers: Handlers<typeof sandboxConsole> = {
  sandbox_console_link: async (platformOp) => {
    const op = toRealTimeOp(platformOp)
    const { url, expiresAt, writes } = await makeConsoleLink(op, (permissions) =>
      checkMayGrant(op, permissions),
    )
    return { status: 201, body: { url, expiresAt: expiresAt.toISOString() }, writes }
  },
}
