import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainBalance, Metrics } from '../../kernel/ports/metrics.ts'
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

/** The metrics of chains that their worker reports. */
export function createChainReports(registry: Registry): Pick<Metrics, 'chainAlert' | 'chainBalances'> {
  const alerts = new Counter({
    name: 'countersign_chain_alerts_total',
    help: 'What a person should know of the chain of a rail, by kind.',
    labelNames: ['rail', 'kind'],
    registers: [registry],
  })
  return {
    chainAlert: (rail, kind) => alerts.inc({ rail, kind }),
    chainBalances: createBalanceGauges(registry),
  }
}

/** Gauges of the accounts that send payments on chains, and of their low-water marks. Returns a function that sets the gauges of a rail. */
function createBalanceGauges(registry: Registry): Metrics['chainBalances'] {
  const labelNames = ['rail', 'account', 'asset'] as const
  const has = new Gauge({
    name: 'countersign_chain_balance',
    help: 'What an account of ours has on the chain of a rail: coin for gas, and tokens of the treasury.',
    labelNames,
    registers: [registry],
  })
  const mark = new Gauge({
    name: 'countersign_chain_low_water',
    help: 'The balance below which somebody should fill that account up.',
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
