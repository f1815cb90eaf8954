import type { JobKind } from '../db/schema/job-tables.ts'

/** Kinds of due work that share the room that a process has for them. */
interface Lane {
  /** Jobs that one process does at a time. Their writes share database transactions. */
  readonly atOnceMax: number
  /** One platform alone has this part of it: 4 is a quarter (`room.ts`). */
  readonly shareOfPlatform: number
  /** The same of a platform whose last work there was slow. The larger it is, the more all of these leave for the others. */
  readonly shareOfSlow: number
  /**
   * A process that claims a job and dies holds others off it for so long. Doing a job twice has one effect all the same;
   * a message or a webhook, though, would arrive twice.
   */
  readonly claimSeconds: number
  /** The kinds of it, and for `main` all others. The partial indexes `jobs_due_…` name them as well. */
  readonly kinds: readonly JobKind[]
}

/**
 * Messages and webhooks wait for machines elsewhere: payments must not wait for them, nor they for each other. A webhook that
 * a payment waits for is a question, and does not wait behind those that only tell.
 */
export const LANES = {
  main: { atOnceMax: 128, shareOfPlatform: 2, shareOfSlow: 2, claimSeconds: 5, kinds: [] },
  messages: {
    atOnceMax: 128,
    shareOfPlatform: 4,
    shareOfSlow: 4,
    claimSeconds: 30,
    kinds: ['message.deliver'],
  },
  questions: {
    atOnceMax: 128,
    shareOfPlatform: 4,
    shareOfSlow: 16,
    claimSeconds: 30,
    kinds: ['webhook.ask'],
  },
  webhooks: {
    atOnceMax: 128,
    shareOfPlatform: 4,
    shareOfSlow: 16,
    claimSeconds: 30,
    kinds: ['webhook.deliver'],
  },
} as const satisfies Record<string, Lane>

export type LaneName = keyof typeof LANES

export const LANE_NAMES = Object.keys(LANES) as LaneName[]

/** The lanes that wait for the platform's endpoint. */
export const WEBHOOK_LANES: ReadonlySet<LaneName> = new Set(['questions', 'webhooks'])

const LANE_OF = new Map<string, LaneName>(
  LANE_NAMES.flatMap((lane) => LANES[lane].kinds.map((kind) => [kind, lane] as const)),
)

export function laneOf(kind: string): LaneName {
  return LANE_OF.get(kind) ?? 'main'
}
