import { Type } from 'typebox'
import { ApiToken } from '../auth/tokens.ts'
import { endpoint } from '../core/endpoint.ts'
import { Email } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { MemberPermissions } from '../core/member-permissions.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { MEMBER_STATES } from '../states/member-states.ts'

/** The time for which an invitation can be accepted. */
export const INVITATION_HOURS = 72

/** A person who works for the platform and can sign in to the console. */
export const Member = Type.Object({
  id: Id('Member'),
  name: Text(255),
  email: Email,
  permissions: MemberPermissions,
  roleId: Type.Optional(
    Id('MemberRole', 'The role that provides the permissions. Absent if they were set individually'),
  ),
  status: OneOfWords(MEMBER_STATES),
  lastSignInAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const invitationFields = {
  invitationUrl: Secret(
    Type.String({
      description:
        'The link to the console. It works once and signs its holder in as the member, so give it only to the member',
    }),
  ),
  invitationExpiresAt: Timestamp(),
}

export const MemberInvitation = Type.Object(invitationFields)
export const InvitedMember = Type.Object({ member: Member, ...invitationFields })

export const MemberInviteRequest = Type.Object({
  name: Text(255),
  email: Email,
  permissions: Type.Optional(MemberPermissions),
  roleId: Type.Optional(Id('MemberRole', 'Alternative to permissions. Exactly one of the two is required')),
})

export const MemberUpdateRequest = Type.Object({
  name: Type.Optional(Text(255)),
  permissions: Type.Optional(MemberPermissions),
  roleId: Type.Optional(
    Id(
      'MemberRole',
      'Alternative to permissions. The member follows the role until individual permissions are set',
    ),
  ),
})

/** The API tokens created by a removed member. */
export const RemovedMember = Type.Object({
  tokens: Type.Array(ApiToken, {
    description: 'The API tokens that the member created, directly or with such a token. Without secrets',
  }),
  tokensEnded: Type.Boolean({
    description: 'False: the tokens are still valid. Revoke each with DELETE /tokens/{tokenId}',
  }),
})

const memberPath = Type.Object({ memberId: PathId })

export const member_invite = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/members',
  tag: 'Members',
  summary: 'Invite a member',
  description:
    'Adds a person to the platform and creates a link for the first sign-in, valid for 72 hours. No ' +
    'message is sent: pass the link on yourself. You can grant only permissions that you have, and the ' +
    'link is valid only while you have all of them. Takes no Idempotency-Key: a stored response would ' +
    'contain the link.',
  body: MemberInviteRequest,
  responses: { 201: InvitedMember },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_EMAIL_EXISTS', 'MEMBER_ROLE_NOT_FOUND'],
})

export const member_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/members',
  tag: 'Members',
  summary: 'List the members',
  description:
    'Lists the team members with their permissions, newest first. Removed members are listed only if requested by status.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(MEMBER_STATES, 'Default: INVITED and ACTIVE')),
    email: Type.Optional(Email),
    roleId: Type.Optional(Id('MemberRole')),
    ...pageQuery,
  }),
  responses: { 200: Page(Member) },
  errors: ['INVALID_INPUT'],
})

export const member_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/members/{memberId}',
  tag: 'Members',
  summary: 'Read a member',
  description: 'Shows one member by id, even if removed.',
  params: memberPath,
  responses: { 200: Member },
  errors: ['MEMBER_NOT_FOUND'],
})

export const member_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/members/{memberId}',
  tag: 'Members',
  summary: 'Change a member',
  description:
    'Changes the name, the permissions or the role of a member. The change takes effect on the next ' +
    'request, also in open sessions. You can grant or remove only permissions that you have. Adding a ' +
    'permission cancels an invitation that was not accepted yet, because its creator has the link: ' +
    'create a new one. A member cannot take a permission from the last member who has all of them.',
  params: memberPath,
  body: MemberUpdateRequest,
  responses: { 200: Member },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_NOT_FOUND', 'MEMBER_ROLE_NOT_FOUND', 'LAST_OWNER'],
})

export const member_delete = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'DELETE',
  path: '/members/{memberId}',
  tag: 'Members',
  summary: 'Remove a member',
  description:
    "Immediately revokes a member's sessions, passkeys and invitations, and the links that the member " +
    "created for others. The member's actions stay on record. If API tokens that the member created are " +
    'still valid, the response is 200 with their list; endTokens revokes them as well. The caller needs ' +
    'every permission that the member has. A member cannot remove the last member who has all ' +
    'permissions; an API token can, and so can the operator of the server. Either can invite a successor.',
  params: memberPath,
  query: Type.Object({
    endTokens: Type.Optional(
      Type.Boolean({ description: 'True: also revokes the API tokens that the member created' }),
    ),
  }),
  responses: { 200: RemovedMember, 204: null },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'MEMBER_NOT_FOUND', 'LAST_OWNER'],
})

export const member_invitation_renew = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/members/{memberId}/invitations',
  tag: 'Members',
  summary: 'Create a new invitation',
  description:
    'Creates a new link for a member who has not signed in yet, or who has lost the passkey. Earlier ' +
    'links become invalid. Anyone with the link can sign in as the member, so the caller needs every ' +
    'permission that the member has. The link is valid only while the caller has them.',
  params: memberPath,
  responses: { 201: MemberInvitation },
  errors: ['FORBIDDEN', 'MEMBER_NOT_FOUND'],
})

export const members = {
  member_invite,
  member_list,
  member_get,
  member_update,
  member_delete,
  member_invitation_renew,
}
