export const MATCH_STATES = ['PROPOSED', 'MATCHED', 'UNDONE', 'CLOSED'] as const
export type MatchState = (typeof MATCH_STATES)[number]

export const MATCH_EVENTS = ['agree', 'undo', 'close'] as const
export type MatchEvent = (typeof MATCH_EVENTS)[number]

/**
 * The states of a match of statement lines with payments and deposits.
 * - `agree`: enough members have approved it
 * - `undo`: its lines and payments are open again, and the booking of its difference is reversed
 * - `close`: it is final
 */
export const MATCH_TRANSITIONS = {
  PROPOSED: { agree: 'MATCHED', undo: 'UNDONE', close: null },
  MATCHED: { agree: null, undo: 'UNDONE', close: 'CLOSED' },
  UNDONE: { agree: null, undo: null, close: null },
  CLOSED: { agree: null, undo: null, close: null },
} as const satisfies Record<MatchState, Record<MatchEvent, MatchState | null>>
export const MATCH_INITIAL = 'PROPOSED' satisfies MatchState
