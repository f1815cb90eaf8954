import { INVITATION_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { selectInvitation } from './invitation-store.ts'

/** Expires an invitation that was neither claimed nor canceled before its deadline. */
export const expireInvitation: JobHandler<'invitation.expire'> = async (op, { code }) => {
  const invitation = await selectInvitation(op, code)
  if (!invitation || nextState(INVITATION_TRANSITIONS, invitation.state, 'expire') === null) return []
  const { is_inviter_gone, clock_offset_ms, ...invitationRow } = invitation
  return [transition(op, 'invitations', INVITATION_TRANSITIONS, invitationRow, 'expire').write]
}
