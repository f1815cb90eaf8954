import type { ChainWorker } from '../evm-rail.ts'
import { follow } from '../follow/follow.ts'
import { sweep } from '../follow/sweep.ts'
import { bumpStuckPayments } from '../payments/bump-fees.ts'
import { relay } from '../payments/relay.ts'
import { reassign, sweepRetired } from '../payments/retired-treasuries.ts'
import { watch } from '../payments/watch.ts'
import { refuel } from './refuel.ts'

/** The worker's steps on a chain, repeated in this order. Each step continues where its last run stopped. */
export const STEPS: readonly ((worker: ChainWorker) => Promise<void>)[] = [
  refuel,
  follow,
  sweep,
  sweepRetired,
  reassign,
  watch,
  relay,
  bumpStuckPayments,
]
