import type { ChainWorker } from '../evm-rail.ts'
import { follow } from '../follow/follow.ts'
import { sweepDeposits } from '../follow/sweep.ts'
import { bumpStuckPayments } from '../payments/bump-fees.ts'
import { relay } from '../payments/relay.ts'
import { reassignPayments, sweepRetiredTreasuries } from '../payments/retired-treasuries.ts'
import { watchTransactions } from '../payments/watch.ts'
import { refuelGasAccounts } from './refuel.ts'

/** The worker's steps on a chain, repeated in this order. Each step continues where its last run stopped. */
export const STEPS: readonly ((worker: ChainWorker) => Promise<void>)[] = [
  refuelGasAccounts,
  follow,
  sweepDeposits,
  sweepRetiredTreasuries,
  reassignPayments,
  watchTransactions,
  relay,
  bumpStuckPayments,
]
