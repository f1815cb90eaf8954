import { keysOf } from '@countersign/contract/core/objects'
import type { JobKind } from '../../storage/rows/job.ts'

/** Kinds of jobs that share capacity in a process. */
interface Lane {
  /** Jobs that one process runs in parallel. Their writes share database transactions. */
  readonly atOnceMax: number
  /** The divisor for the share of a single platform: 4 is a quarter (`capacity.ts`). */
  readonly shareOfPlatform: number
  /**
   * The time for which a claim blocks other processes if its own dies. A job that runs twice takes effect
   * once, but a message would arrive twice.
   */
  readonly claimSeconds: number
  /** The lane's kinds; `main` has all others. The partial indexes `jobs_due_…` also name them. */
  readonly kinds: readonly JobKind[]
}

/**
 * Messages and rails wait for other machines, so nothing else waits for them, nor they for each other. Imports
 * take long: a process works on one file per platform, and on four in total.
 */
export const LANES = {
  main: { atOnceMax: 128, shareOfPlatform: 2, claimSeconds: 5, kinds: [] },
  payments: {
    // Lets 256 payments of one platform wait for slow rails.
    atOnceMax: 512,
    shareOfPlatform: 2,

    // About the longest time that a rail takes. Calling it twice is safe: the payment's id makes both one.
    claimSeconds: 10,
    kinds: [
      'deposit-account.open',
      'deposit.return',
      'external-account.check',
      'rail-payment.cancel',
      'transaction.pull',
      'transaction.refund',
      'transaction.settle',
      'transfer.settle',
    ],
  },
  imports: {
    atOnceMax: 8,
    shareOfPlatform: 4,

    // A long file takes a while to read.
    claimSeconds: 120,
    kinds: ['customers.import'],
  },
  messages: {
    atOnceMax: 128,
    shareOfPlatform: 4,

    claimSeconds: 30,
    kinds: ['message.deliver'],
  },
} as const satisfies Record<string, Lane>

export type LaneName = keyof typeof LANES

export const LANE_NAMES = keysOf(LANES)

const LANE_OF = new Map<string, LaneName>(
  LANE_NAMES.flatMap((lane) => LANES[lane].kinds.map((kind) => [kind, lane] as const)),
)

export function laneOf(kind: string): LaneName {
  return LANE_OF.get(kind) ?? 'main'
}
