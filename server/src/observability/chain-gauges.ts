import { Gauge, type Registry } from 'prom-client'
import type { FollowedChain } from './store.ts'

/**
 * Gauges of how far chains were followed. Returns a function that sets them; without an answer of the database they are left out.
 * The rails are those of the operator's file, so their number is bounded.
 */
export function createChainGauges(
  registry: Registry,
): (chains: readonly FollowedChain[] | undefined) => void {
  const registers = [registry]
  const block = new Gauge({
    name: 'countersign_chain_followed_block',
    help: 'The block up to which the chain of a rail was followed and booked.',
    labelNames: ['rail'],
    registers,
  })
  const age = new Gauge({
    name: 'countersign_chain_followed_age_seconds',
    help: 'The age of that block. It is as old as the confirmations take, and grows where following has stopped.',
    labelNames: ['rail'],
    registers,
  })
  return (chains) => {
    block.reset()
    age.reset()
    for (const { rail, block: number, ageSeconds } of chains ?? []) {
      block.set({ rail }, number)
      age.set({ rail }, ageSeconds)
    }
  }
}
