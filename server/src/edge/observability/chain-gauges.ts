import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainBalance, Metrics } from '../../kernel/ports/metrics.ts'
import type { FollowedChain } from './store.ts'

/**
 * Creates gauges of the progress of following chains. Returns a function that sets them, or removes them if
 * the database is unavailable. The operator's file bounds the number of rails.
 */
export function createChainGauges(
  registry: Registry,
): (chains: readonly FollowedChain[] | undefined) => void {
  const registers = [registry]
  const block = new Gauge({
    name: 'countersign_chain_followed_block',
    help: "The block up to which a rail's chain was followed and booked.",
    labelNames: ['rail'],
    registers,
  })
  const age = new Gauge({
    name: 'countersign_chain_followed_age_seconds',
    help: 'The age of the followed block. It is at least the confirmation time, and grows while following is stopped.',
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
    help: "Problems of a rail's chain that need attention, by kind.",
    labelNames: ['rail', 'kind'],
    registers: [registry],
  })
  return {
    chainAlert: (rail, kind) => alerts.inc({ rail, kind }),
    chainBalances: createBalanceGauges(registry),
  }
}

/**
 * Creates gauges of the balances and low-water marks of accounts that send payments on chains. Returns a
 * function that sets the gauges of one rail.
 */
function createBalanceGauges(registry: Registry): Metrics['chainBalances'] {
  const labelNames = ['rail', 'account', 'asset'] as const
  const balanceGauge = new Gauge({
    name: 'countersign_chain_balance',
    help: "The balance of a server account on a rail's chain: coins for gas, and treasury tokens.",
    labelNames,
    registers: [registry],
  })
  const lowWaterGauge = new Gauge({
    name: 'countersign_chain_low_water',
    help: 'The balance below which that account should be topped up.',
    labelNames,
    registers: [registry],
  })
  const shown = new Map<string, readonly ChainBalance[]>()
  return (rail, balances) => {
    for (const { account, asset } of shown.get(rail) ?? [])
      for (const gauge of [balanceGauge, lowWaterGauge]) gauge.remove({ rail, account, asset })
    shown.set(rail, balances)
    for (const { account, asset, balance, lowWater } of balances) {
      balanceGauge.set({ rail, account, asset }, balance)
      lowWaterGauge.set({ rail, account, asset }, lowWater)
    }
  }
}
