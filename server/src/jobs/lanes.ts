import type { JobKind } from './kinds.ts'

/** Kinds of due work that share the room that a process has for them. */
interface Lane {
  /** Jobs that one process does at a time. Their writes share database transactions. */
  readonly atOnceMax: number
  /**
   * A process that claims a job and dies holds others off it for so long. Doing a job twice has one effect all the same;
   * a message or a webhook, though, would arrive twice.
   */
  readonly claimSeconds: number
}

/** Messages and webhooks wait for machines elsewhere: payments must not wait for them, nor they for each other. */
export const LANES = {
  main: { atOnceMax: 64, claimSeconds: 5 },
  messages: { atOnceMax: 32, claimSeconds: 30 },
  webhooks: { atOnceMax: 32, claimSeconds: 30 },
} as const satisfies Record<string, Lane>

export type LaneName = keyof typeof LANES

export const LANE_NAMES = Object.keys(LANES) as LaneName[]

const LANE_OF: Partial<Record<JobKind, LaneName>> = {
  'message.deliver': 'messages',
  'webhook.deliver': 'webhooks',
}

export function laneOf(kind: string): LaneName {
  return LANE_OF[kind as JobKind] ?? 'main'
}
