import type { invitations } from '@countersign/contract/payments/invitations'
import { INVITATION_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { ApiError, createFieldError, type Handlers, StaleRead } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findOpenPlatform, guardPlatformOpen } from '../../people/platforms/platforms.ts'
import { expectRow, insert } from '../../storage/commit/writes.ts'
import { findInvitation } from './invitation-codes.ts'
import {
  assertPending,
  computeState,
  findOwnCustomer,
  makeInvitation,
  readInviterTime,
  toUmaInvitationView,
} from './invitations.ts'

export const invitationHandlers: Handlers<typeof invitations> = {
  invitation_create: async (op, { body }) => {
    const inviter = await findOwnCustomer(op, body.inviterUma, 'inviterUma')
    const { is_inviter_gone, clock_offset_ms, ...row } = makeInvitation(op, inviter, body)
    return {
      status: 201,
      body: toUmaInvitationView(row, row.state),
      writes: [
        insert('invitations', row),
        expectRow('customers', inviter.id, { deleted_at: null, uma_address: inviter.uma_address }),
        ...(row.expires_at ? [job(op, 'invitation.expire', { code: row.id }, row.expires_at)] : []),
      ],
    }
  },

  invitation_get: async (op, { params }) => {
    const invitation = await findInvitation(op, params.invitationCode)
    return { status: 200, body: toUmaInvitationView(invitation, computeState(op, invitation)) }
  },

  /**
   * The invitation may belong to another platform than the caller's. Its event is then written to that
   * platform's outbox, with that platform's clock and endpoint, in the same transaction as the claim.
   */
  invitation_claim: async (op, { params, body }) => {
    const invitation = await findInvitation(op, params.invitationCode)
    assertPending(op, invitation)
    const invitee = await findOwnCustomer(op, body.inviteeUma, 'inviteeUma')
    if (invitee.uma_address === invitation.inviter_uma)
      throw createFieldError(
        'INVALID_UMA_ADDRESS',
        'inviteeUma',
        'The inviter cannot claim their own invitation.',
      )
    const owner = await findOpenPlatform(op.read, invitation.platform_id)
    if (!owner) throw new StaleRead('The platform of the invitation was reset')
    const now = readInviterTime(op, invitation)
    const eventContext = { now, platform: owner, newId: op.newId }
    const claim = { invitee_uma: invitee.uma_address, claimed_at: now }
    const { is_inviter_gone, clock_offset_ms, ...invitationRow } = invitation
    const { row, write } = transition(
      eventContext,
      'invitations',
      INVITATION_TRANSITIONS,
      invitationRow,
      'claim',
      claim,
    )
    const view = toUmaInvitationView(row, row.state)
    return {
      status: 200,
      body: view,
      writes: [
        write,
        expectRow('customers', invitee.id, { deleted_at: null, uma_address: invitee.uma_address }),
        expectRow('customers', row.customer_id, { deleted_at: null }),
        guardPlatformOpen(owner),
        event(eventContext, 'INVITATION.CLAIMED', row.id, view),
      ],
    }
  },

  invitation_cancel: async (op, { params }) => {
    const invitation = await findInvitation(op, params.invitationCode)
    if (invitation.platform_id !== op.platform.id)
      throw new ApiError('FORBIDDEN', {
        message: 'Only the platform that created the invitation can cancel it.',
      })
    assertPending(op, invitation)
    const { is_inviter_gone, clock_offset_ms, ...invitationRow } = invitation
    const { row, write } = transition(op, 'invitations', INVITATION_TRANSITIONS, invitationRow, 'cancel')
    return { status: 200, body: toUmaInvitationView(row, row.state), writes: [write] }
  },
}
