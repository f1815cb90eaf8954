export const MEMBER_STATES = ['INVITED', 'ACTIVE', 'REMOVED'] as const
export type MemberState = (typeof MEMBER_STATES)[number]

export const MEMBER_EVENTS = ['accept', 'remove'] as const
export type MemberEvent = (typeof MEMBER_EVENTS)[number]

/**
 * The states of a team member. `accept`: the member accepts an invitation, possibly another one after losing
 * the passkey.
 */
export const MEMBER_TRANSITIONS = {
  INVITED: { accept: 'ACTIVE', remove: 'REMOVED' },
  ACTIVE: { accept: 'ACTIVE', remove: 'REMOVED' },
  REMOVED: { accept: null, remove: null },
} as const satisfies Record<MemberState, Record<MemberEvent, MemberState | null>>
export const MEMBER_INITIAL = 'INVITED' satisfies MemberState
