import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainBalance, Metrics } from '../../kernel/ports/metrics.ts'
import type { FollowedChain } from './store.ts'

/**
 * Gauges of how far chains have been followed. Returns a function that sets them, and removes them if the
 * database is unavailable. The number of rails is bounded, because they come from the operator's file.
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
    help: 'The age of that block. It is at least the time of the confirmations, and grows if following has stopped.',
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

/** Metrics reported by the chain worker. */
export function createChainReports(registry: Registry): Pick<Metrics, 'chainAlert' | 'chainBalances'> {
  const alerts = new Counter({
    name: 'countersign_chain_alerts_total',
    help: 'Problems of the chain of a rail that need attention, by kind.',
    labelNames: ['rail', 'kind'],
    registers: [registry],
  })
  return {
    chainAlert: (rail, kind) => alerts.inc({ rail, kind }),
    chainBalances: createBalanceGauges(registry),
  }
}

/**
 * Gauges of the balances of accounts that send payments on chains, and of their low-water marks. Returns a
 * function that sets the gauges of one rail.
 */
function createBalanceGauges(registry: Registry): Metrics['chainBalances'] {
  const labelNames = ['rail', 'account', 'asset'] as const
  const has = new Gauge({
    name: 'countersign_chain_balance',
    help: 'Balance of one of our accounts on the chain of a rail: coin for gas, and tokens of the treasury.',
    labelNames,
    registers: [registry],
  })
  const mark = new Gauge({
    name: 'countersign_chain_low_water',
    help: 'The balance below which that account should be topped up.',
    labelNames,
    registers: [registry],
  })
  const shown = new Map<string, readonly ChainBalance[]>()
  return (rail, balances) => {
    for (const { account, asset } of shown.get(rail) ?? [])
      for (const gauge of [has, mark]) gauge.remove({ rail, account, asset })
    shown.set(rail, balances)
    for (const { account, asset, balance, lowWater } of balances) {
      has.set({ rail, account, asset }, balance)
      mark.set({ rail, account, asset }, lowWater)
    }
  }
}
