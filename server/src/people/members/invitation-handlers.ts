import { present } from '@countersign/contract/core/objects'
import type { memberInvitations } from '@countersign/contract/platforms/member-passkeys'
import { type App, toRealTimeOp } from '../../kernel/operation/app.ts'
import { ApiError, type Caller, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { canDeliver } from '../messages/channels.ts'
import { findLink, findUsableLink, nameLink } from './links.ts'
import { buildPasskeyOptions, findRelyingParty, registerPasskey } from './passkeys.ts'
import { signIn, toCaller } from './sessions.ts'
import { selectMemberById } from './store.ts'

export const memberInvitationHandlers: Handlers<typeof memberInvitations> = {
  member_invitation_read: {
    resolveCaller: async (app, { body }) => {
      const { platform, actor } = await resolveInvited(app, body.token)
      if (actor.kind !== 'member') throw new Error('The caller of an invitation must be a member')
      return { platform, actor: { kind: 'visitor', memberId: actor.memberId } }
    },
    nameCredential: ({ body }) => nameLink(body.token),
    async handle(platformOp, { body }) {
      const op = toRealTimeOp(platformOp)
      const { link, member } = await findUsableLink(op, body.token, 'INVITATION')
      const party = findRelyingParty(op.from?.ownOrigin ?? op.origin())
      return {
        status: 200,
        body: {
          name: member.name,
          email: member.email,
          platformName: op.platform.name,
          expiresAt: link.expires_at.toISOString(),
          isPasskeyRequired: !canDeliver(op, 'EMAIL'),
          ...present({ passkey: party && (await buildPasskeyOptions(op, member, party)) }),
        },
      }
    },
  },

  member_invitation_accept: {
    resolveCaller: (app, { body }) => resolveInvited(app, body.token),
    nameCredential: ({ body }) => nameLink(body.token),
    async handle(platformOp, { body }) {
      const op = toRealTimeOp(platformOp)
      const { link, member, use } = await findUsableLink(op, body.token, 'INVITATION')
      const linkEnd = [{ invitation_id: null }, { invitation_id: link.id }] as const
      if (!body.passkey) {
        if (!canDeliver(op, 'EMAIL'))
          throw createFieldError(
            'INVALID_INPUT',
            'passkey',
            'passkey is required: this server cannot send codes, so you could not sign in later without one',
          )
        const signedIn = signIn(op, member, { method: 'LINK' }, ...linkEnd)
        return { ...signedIn, writes: [...use, ...signedIn.writes] }
      }
      const { row, write } = await registerPasskey(op, member, body.passkey)
      const signedIn = signIn(op, member, { method: 'PASSKEY', passkeyId: row.id }, ...linkEnd)
      return { ...signedIn, writes: [...use, write, ...signedIn.writes] }
    },
  },
}

/** Throws 401 `UNAUTHORIZED` if the link is unknown. */
async function resolveInvited(app: App, token: string): Promise<Caller> {
  const link = await findLink(app, token, 'INVITATION')
  const member = await selectMemberById(app, link.member_id)
  const caller = member && (await toCaller(app, member))
  const reason = 'This link is no longer valid.'
  if (!caller) throw new ApiError('UNAUTHORIZED', { message: reason, reason })
  return caller
}
