import { Type } from 'typebox'
import { PasskeyAttestation } from '../auth/credential-registration.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { Opaque, Tag, Text, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { MemberNotificationsUpdate } from '../operation/member-notifications.ts'
import { MemberIdentity } from './member-sessions.ts'

/** A team member's passkey. */
export const MemberPasskey = Type.Object({
  id: Id('MemberPasskey'),
  name: Text(255),
  createdAt: Timestamp(),
  lastUsedAt: Type.Optional(Timestamp()),
})

const CredentialDescriptor = Type.Object({ id: Type.String(), type: Tag('public-key') })

/** Options for `navigator.credentials.create`, in WebAuthn's JSON form. */
export const MemberPasskeyOptions = Type.Object({
  challenge: Type.String({ description: 'base64url' }),
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ alg: Type.Integer(), type: Tag('public-key') })),
  excludeCredentials: Type.Array(CredentialDescriptor),
  authenticatorSelection: Type.Object({
    residentKey: Tag('required'),
    requireResidentKey: Type.Boolean(),
    userVerification: Tag('preferred'),
  }),
  attestation: Tag('none'),
  timeout: Type.Integer({ description: 'In milliseconds' }),
})

/** The browser's response to the options. */
export const MemberPasskeyRequest = Type.Object({
  name: Type.Optional(Text(255, { description: "The member's name for it" })),
  challenge: Opaque(256, { description: 'The challenge from the options' }),
  attestation: PasskeyAttestation,
})

export const MemberInvitationReadRequest = Type.Object({
  token: Secret(Opaque(256, { description: 'The part of the link after #invitation=' })),
})

/** The content of an invitation page, including the options for creating a passkey. */
export const MemberInvitationView = Type.Object({
  name: Text(255),
  email: Type.String(),
  platformName: Type.String(),
  expiresAt: Timestamp(),
  isPasskeyRequired: Type.Boolean({
    description:
      'True if the invitation must be accepted with a passkey, because this server cannot send codes',
  }),
  passkey: Type.Optional(MemberPasskeyOptions),
})

export const MemberInvitationAcceptRequest = Type.Object({
  token: Secret(Opaque(256, { description: 'The part of the link after #invitation=' })),
  passkey: Type.Optional(MemberPasskeyRequest),
})

export const member_me_get = endpoint({
  auth: 'member',
  method: 'GET',
  path: '/members/me',
  tag: 'Members',
  summary: 'Read the signed-in member',
  description: 'Shows the signed-in member with the current permissions, the platform and the session.',
  responses: { 200: MemberIdentity },
  errors: [],
})

export const MemberSelfUpdateRequest = Type.Object({ notifications: MemberNotificationsUpdate })

export const member_me_update = endpoint({
  auth: 'member',
  method: 'PATCH',
  path: '/members/me',
  tag: 'Members',
  summary: 'Choose notifications',
  description:
    "Sets how the signed-in member is notified of pending work: by e-mail, by the platform's webhooks, " +
    'or not at all (the default). Work that arrives within the interval is reported in one digest, each ' +
    'record once. A digest has counts and a link to the console, but no names or amounts.',
  body: MemberSelfUpdateRequest,
  responses: { 200: MemberIdentity },
  errors: ['INVALID_INPUT'],
})

export const member_sign_out = endpoint({
  auth: 'member',
  method: 'DELETE',
  path: '/members/me/session',
  tag: 'Members',
  summary: 'Sign out',
  description: 'Ends the current session and deletes its cookie.',
  responses: { 204: null },
  errors: [],
})

export const member_passkey_list = endpoint({
  auth: 'member',
  method: 'GET',
  path: '/members/me/passkeys',
  tag: 'Members',
  summary: 'List your own passkeys',
  description: 'Lists the passkeys of the signed-in member, oldest first, all in one response.',
  responses: { 200: Type.Object({ data: Type.Array(MemberPasskey) }) },
  errors: [],
})

export const member_passkey_challenge = endpoint({
  auth: 'member',
  method: 'POST',
  path: '/members/me/passkeys/challenge',
  tag: 'Members',
  summary: 'Begin to add a passkey',
  description:
    'Returns the options for navigator.credentials.create, valid for 5 minutes. Passkeys do not work on ' +
    'IP addresses: open the console at its host name, or on this machine at http://localhost.',
  responses: { 200: MemberPasskeyOptions },
  errors: ['INVALID_INPUT'],
})

export const member_passkey_create = endpoint({
  auth: 'member',
  method: 'POST',
  path: '/members/me/passkeys',
  tag: 'Members',
  summary: 'Add a passkey',
  description:
    "Stores a passkey that the browser created from the challenge's options. The member can then sign in with it.",
  body: MemberPasskeyRequest,
  bodyBytesMax: 128 * KIB,
  responses: { 201: MemberPasskey },
  errors: ['INVALID_INPUT', 'PASSKEY_CREDENTIAL_ALREADY_EXISTS'],
})

export const member_passkey_delete = endpoint({
  auth: 'member',
  method: 'DELETE',
  path: '/members/me/passkeys/{memberPasskeyId}',
  tag: 'Members',
  summary: 'Remove a passkey',
  description:
    'Removes a passkey of the signed-in member, and ends the sessions that it started, including this one.',
  params: Type.Object({ memberPasskeyId: PathId }),
  responses: { 204: null },
  errors: ['CREDENTIAL_NOT_FOUND'],
})

export const member_invitation_read = endpoint({
  auth: 'public',
  method: 'POST',
  path: '/member-invitations/read',
  tag: 'Members',
  changesNothing: true,
  summary: 'Read an invitation',
  description:
    'Shows the invited person, and the options for a passkey. The invitation stays valid. An invitation that was used, was replaced ' +
    'or has expired returns 401 with the reason.',
  body: MemberInvitationReadRequest,
  responses: { 200: MemberInvitationView },
  errors: ['INVALID_INPUT', 'UNAUTHORIZED', 'RATE_LIMITED'],
})

export const member_invitation_accept = endpoint({
  auth: 'public',
  method: 'POST',
  path: '/member-invitations/accept',
  tag: 'Members',
  summary: 'Accept an invitation',
  description:
    'Accepts the invitation, stores the passkey, and signs the member in. Without a passkey, the member ' +
    'later signs in with codes, so the call is rejected if the server cannot send them.',
  body: MemberInvitationAcceptRequest,
  bodyBytesMax: 128 * KIB,
  responses: { 201: MemberIdentity },
  errors: ['INVALID_INPUT', 'UNAUTHORIZED', 'RATE_LIMITED', 'PASSKEY_CREDENTIAL_ALREADY_EXISTS'],
})

export const memberSelf = {
  member_me_get,
  member_me_update,
  member_sign_out,
  member_passkey_list,
  member_passkey_challenge,
  member_passkey_create,
  member_passkey_delete,
}

export const memberInvitations = { member_invitation_read, member_invitation_accept }
