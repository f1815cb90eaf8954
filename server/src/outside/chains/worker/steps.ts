import type { ChainDesk } from '../evm-rail.ts'
import { follow } from '../follow/follow.ts'
import { sweep } from '../follow/sweep.ts'
import { keepGoing } from '../payments/bump-fees.ts'
import { relay } from '../payments/relay.ts'
import { watch } from '../payments/watch.ts'
import { refuel } from './refuel.ts'

/** What is done at a chain, again and again, in this order. Each step goes on where the last run of it ended. */
export const STEPS: readonly ((desk: ChainDesk) => Promise<void>)[] = [
  refuel,
  follow,
  sweep,
  watch,
  relay,
  keepGoing,
]
