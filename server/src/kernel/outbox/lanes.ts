import { keysOf } from '@countersign/contract/core/objects'
import type { JobKind } from '../../storage/rows/job.ts'

/** Kinds of jobs that share the capacity of a process. */
interface Lane {
  /**
   * The maximum number of jobs that one process runs in parallel. Their writes share database transactions.
   */
  readonly atOnceMax: number
  /** The divisor for the share of one platform: 4 means a quarter (`capacity.ts`). */
  readonly shareOfPlatform: number
  /**
   * The time for which a claim keeps other processes away if its own process dies. If a job runs twice it
   * still takes effect once, but a message would be sent twice.
   */
  readonly claimSeconds: number
  /** The kinds in this lane; `main` has all others. The partial indexes `jobs_due_…` name the same kinds. */
  readonly kinds: readonly JobKind[]
}

/**
 * Messages and rails wait for other systems, so they have separate lanes and delay neither each other nor
 * anything else. Imports take long: a process runs one per platform and four in total.
 */
export const LANES = {
  main: { atOnceMax: 128, shareOfPlatform: 2, claimSeconds: 5, kinds: [] },
  payments: {
    // Allows 256 payments of one platform to wait for slow rails.
    atOnceMax: 512,
    shareOfPlatform: 2,

    // Roughly the longest time that a rail takes. A second call is safe, because the rail recognizes the
    // payment by its id.
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

    // Reading a long file takes a while.
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

export function findLane(kind: string): LaneName {
  return LANE_OF.get(kind) ?? 'main'
}
