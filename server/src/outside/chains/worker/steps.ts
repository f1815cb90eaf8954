import type { ChainWorker } from '../evm-rail.ts'
import { follow } from '../follow/follow.ts'
import { sweep } from '../follow/sweep.ts'
import { bumpStuckPayments } from '../payments/bump-fees.ts'
import { relay } from '../payments/relay.ts'
import { reassign, sweepRetired } from '../payments/retired-treasuries.ts'
import { watch } from '../payments/watch.ts'
import { refuel } from './refuel.ts'

/** Steps of the worker on a chain, repeated in this order. Each one continues from its last run. */
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
