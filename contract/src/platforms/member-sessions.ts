import { Type } from 'typebox'
import { PasskeyAssertion } from '../auth/credentials.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { Email } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOf, OneOfWords, Opaque, Tag, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { MemberNotifications } from '../operation/member-notifications.ts'
import { Member } from './members.ts'

/** The name of the session cookie. Its value never appears in a body. */
export const MEMBER_COOKIE = 'countersign_session'
export const MEMBER_SESSION_HOURS = 12
/** Maximum number of sessions in a response. */
export const MEMBER_SESSIONS_MAX = 100

export const MEMBER_SIGN_IN_METHODS = ['PASSKEY', 'CODE', 'LINK'] as const
export type MemberSignInMethod = (typeof MEMBER_SIGN_IN_METHODS)[number]

/** A browser in which a team member is signed in. */
export const MemberSession = Type.Object({
  id: Id('MemberSession'),
  memberId: Id('Member'),
  method: OneOfWords(MEMBER_SIGN_IN_METHODS, 'The sign-in method. LINK: an invitation, or a sandbox link'),
  address: Type.String({ description: 'The network address of the sign-in' }),
  userAgent: Type.Optional(Type.String({ description: 'The User-Agent header of the browser' })),
  createdAt: Timestamp(),
  lastSeenAt: Timestamp('Accurate to the minute'),
  expiresAt: Timestamp(),
  isCurrent: Type.Boolean({ description: 'True for the session of this request' }),
})

/** The signed-in member, the platform and the session. */
export const MemberIdentity = Type.Object({
  member: Member,
  platform: Type.Object({
    id: Id('Platform'),
    name: Type.String(),
    mode: OneOfWords(['SANDBOX', 'PRODUCTION']),
    otherConsoleUrl: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'The console of the other deployment, sandbox or production, if the operator has named it',
      }),
    ),
  }),
  session: MemberSession,
  notifications: MemberNotifications,
})

export const MemberSignInChallenge = Type.Object({
  challenge: Type.String({
    description: "base64url, for the browser's options and for the sign-in. Valid once",
  }),
  rpId: Type.Optional(
    Type.String({
      description:
        'The relying party id. Absent if this address does not support passkeys, because it is an IP ' +
        'address or has no TLS. Then open the console at its host name, or on this machine at localhost',
    }),
  ),
  expiresAt: Timestamp(),
})

export const PasskeySignIn = Type.Object({
  type: Tag('PASSKEY'),
  challenge: Opaque(256, { description: 'The challenge that was returned' }),
  assertion: PasskeyAssertion,
})

const platformId = Type.Optional(
  Id('Platform', 'Required if the address belongs to members of several platforms of this server'),
)

export const CodeSignIn = Type.Object({
  type: Tag('CODE'),
  email: Email,
  code: Secret(Opaque(64, { description: 'The code as it was sent. Case, spaces and hyphens are ignored' })),
  platformId,
})

export const LinkSignIn = Type.Object({
  type: Tag('LINK'),
  token: Secret(Opaque(256, { description: 'The part of the link after #link=' })),
})

/** Sign-in requests, distinguished by `type`. */
export const MemberSignInRequest = OneOf('type', [PasskeySignIn, CodeSignIn, LinkSignIn])

export const MemberCodeRequest = Type.Object({ email: Email, platformId })
export const MemberCodeSent = Type.Object({
  expiresAt: Timestamp('The time at which a code of this request expires'),
})

export const member_sign_in_challenge = endpoint({
  auth: 'public',
  method: 'POST',
  path: '/member-sessions/challenge',
  tag: 'Members',
  changesNothing: true,
  summary: 'Begin a sign-in with a passkey',
  description:
    'Returns a challenge for navigator.credentials.get. The passkey identifies its owner, so no name is ' +
    'needed. The challenge is valid for 5 minutes and for one sign-in.',
  responses: { 200: MemberSignInChallenge },
  errors: [],
})

export const member_sign_in = endpoint({
  auth: 'public',
  method: 'POST',
  path: '/member-sessions',
  tag: 'Members',
  summary: 'Sign a member in',
  description:
    'Signs a member in with a passkey, a code or, in a sandbox, a one-time link. The response sets the ' +
    'session cookie for 12 hours. Scripts cannot read it, and it authenticates only requests from this ' +
    "server's own pages.",
  body: MemberSignInRequest,
  bodyBytesMax: 64 * KIB,
  responses: { 201: MemberIdentity },
  errors: ['INVALID_INPUT', 'UNAUTHORIZED', 'RATE_LIMITED'],
})

export const member_code_create = endpoint({
  auth: 'public',
  method: 'POST',
  path: '/member-sessions/codes',
  tag: 'Members',
  summary: 'Send a sign-in code',
  description:
    "Sends a code to a member's e-mail address. The response is the same for an unknown address. A code " +
    'is valid for 10 minutes, for one sign-in, and until the next one is sent. The sandbox shows it in ' +
    'its inbox.',
  body: MemberCodeRequest,
  responses: { 202: MemberCodeSent },
  errors: ['INVALID_INPUT', 'RATE_LIMITED', 'NOT_IMPLEMENTED'],
})

export const member_session_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  furtherPermission: { permission: 'MANAGE', when: 'the sessions belong to others' },
  method: 'GET',
  path: '/member-sessions',
  tag: 'Members',
  summary: 'List the sessions of members',
  description: `Lists the sessions of members, newest first, at most ${MEMBER_SESSIONS_MAX}. Without memberId a member gets their own sessions, and an API token with MANAGE gets all sessions.`,
  query: Type.Object({ memberId: Type.Optional(Id('Member')) }),
  responses: { 200: Type.Object({ data: Type.Array(MemberSession) }) },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_NOT_FOUND'],
})

export const member_session_delete = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  furtherPermission: { permission: 'MANAGE', when: 'the session belongs to another member' },
  method: 'DELETE',
  path: '/member-sessions/{memberSessionId}',
  tag: 'Members',
  summary: "End a member's session",
  description: 'Ends a session immediately. Later requests with its cookie return 401.',
  params: Type.Object({ memberSessionId: PathId }),
  responses: { 204: null },
  errors: ['FORBIDDEN', 'SESSION_NOT_FOUND'],
})

export const memberSessions = {
  member_sign_in_challenge,
  member_sign_in,
  member_code_create,
  member_session_list,
  member_session_delete,
}
