import type { Hex } from '../../../../server/src/base/formats/hex.ts'
import { toLowerHex } from '../../../../server/src/base/formats/hex.ts'
import type { App } from '../../../../server/src/kernel/operation/app.ts'
import { TREASURY } from '../../../../server/src/outside/chains/evm-rail.ts'
import { pathOf } from '../../../../server/src/outside/chains/formats/paths.ts'
import type { Database } from '../../../../server/src/storage/engine/port.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Network } from '../../machine/network.ts'
import type { Random } from '../../machine/random.ts'
import { Violation } from '../../model/model.ts'
import { Chain, type ChainBehavior } from './chain.ts'
import { ChainNode, type NodeBehavior } from './nodes.ts'
import { CHAIN_ID, type Effects, MULTICALL, moveTokens, TOKEN, useAuthorization } from './token.ts'

const RAIL = 'base'
const TREASURY_FUNDS = 1_000_000_000n
const GAS_FUNDS = 10n ** 20n
/** Priority fees above and below the ones that the server offers. */
const TIPS = [1_000_000n, 1n] as const

/** The choices that the seed makes for a chain, its nodes and its other users. */
export interface ChainWorldBehavior extends ChainBehavior {
  readonly nodes: number
  readonly agreement: 1 | 2
  readonly node: NodeBehavior
  readonly sweeps: boolean
  /** The fraction of wallet payments whose owner uses the nonce elsewhere. */
  readonly owners: number
}

export function chooseChainBehavior(random: Random): ChainWorldBehavior {
  const agreement = random.pick([1, 2] as const)
  const pickFraction = (max: number) => (random.chance(0.5) ? (max * random.integerBelow(1_000)) / 1_000 : 0)
  return {
    agreement,
    nodes: agreement + random.integerBelow(2),
    confirmations: 2 + random.integerBelow(2),
    blockMs: random.pick([500, 1_000, 1_500]),
    sweeps: random.chance(0.5),
    owners: random.pick([0, 0.4, 0.8]),
    reorganisations: pickFraction(0.3),
    forgotten: pickFraction(0.3),
    expensiveBlocks: pickFraction(0.3),
    node: {
      behind: pickFraction(0.5),
      lostResponses: pickFraction(0.4),
      missingLogs: agreement === 2 ? pickFraction(0.1) : 0,
      downEveryMs: random.chance(0.4) ? 1_000 + random.integerBelow(8_000) : undefined,
    },
  }
}

/** A wallet owner's direct use of an authorization: for a transfer, or to cancel it. */
export interface OwnerUse {
  readonly authorizer: Hex
  readonly nonce: Hex
  readonly to?: Hex
  readonly value: bigint
}

/**
 * A chain with its nodes, and people who use it directly. It is not a program of the simulation, so it is
 * never killed.
 */
export class ChainWorld {
  readonly chain: Chain
  readonly behavior: ChainWorldBehavior
  readonly random: Random
  readonly #nodes: readonly ChainNode[]
  #treasury: Hex = '0x'
  readonly #payers = new Set<Hex>()

  constructor(machine: Machine, network: Network, behavior: ChainWorldBehavior) {
    this.behavior = behavior
    this.random = machine.random.fork()
    this.chain = new Chain(machine, this.random.fork(), behavior)
    this.#nodes = Array.from(
      { length: behavior.nodes },
      (_, at) => new ChainNode(machine, network, this.chain, behavior.node, at),
    )
  }

  /** The rail's entry in the rails file. */
  entry(): object {
    const { agreement, confirmations, sweeps } = this.behavior
    const serves = ['OUT', 'IN'].map((direction) => ({
      ...{ direction, accountTypes: ['BASE_WALLET'], currencies: ['USDC'] },
    }))
    return {
      ...{ name: RAIL, kind: 'evm', network: 'BASE', chainId: CHAIN_ID, agreement, confirmations, serves },
      rpcs: this.#nodes.map(({ url }) => ({ type: 'url', url })),
      tokens: [{ currency: 'USDC', address: TOKEN, standard: 'EIP3009' }],
      multicall: MULTICALL,
      fees: { stuckSeconds: 10 },
      ...(sweeps ? { sweeps: [{ currency: 'USDC', from: 1_000 }] } : {}),
    }
  }

  /** Funds the treasury with tokens and the gas account with coin, and starts producing blocks. */
  start({ enclave }: App): void {
    this.#treasury = toLowerHex(enclave.chainAddress(pathOf(RAIL, 'TREASURY', TREASURY)))
    const gas = toLowerHex(enclave.chainAddress(pathOf(RAIL, 'GAS', 'GAS 0')))
    this.chain.addStrangerTransaction('coin', 1n, (state) => {
      state.coins.set(gas, state.getCoinBalance(gas) + GAS_FUNDS)
      return { logs: [], transfers: [] }
    })
    this.payIn(this.#treasury, TREASURY_FUNDS)
    this.chain.start()
  }

  get treasury(): Hex {
    return this.#treasury
  }

  set isFaultFree(isFaultFree: boolean) {
    this.chain.isFaultFree = isFaultFree
    for (const node of this.#nodes) node.isFaultFree = isFaultFree
  }

  end(): void {
    this.chain.end()
  }

  /** Makes a stranger pay money to an address. Returns the stranger's address. */
  payIn(to: Hex, value: bigint): Hex {
    const from: Hex = `0x${String(this.#payers.size).padStart(38, 'd')}ee`
    this.#payers.add(from)
    this.chain.addStrangerTransaction(`pay in ${from}`, 1n, (state) => {
      const effects: Effects = { logs: [], transfers: [] }
      state.tokens.set(from, state.getTokenBalance(from) + value)
      moveTokens(state, effects, { from, to, value })
      return effects
    })
    return from
  }

  /** The money that strangers have paid to the server's addresses, in blocks up to the head. */
  sumReceived(): bigint {
    return this.chain
      .listTransfers()
      .filter(({ from }) => this.#payers.has(from))
      .reduce((sum, { value }) => sum + value, 0n)
  }

  /**
   * Makes a wallet's owner, who has the key, submit one of the wallet's authorizations to the chain. Returns
   * the transaction hash.
   */
  useByOwner({ authorizer, nonce, to, value }: OwnerUse): Hex {
    return this.chain.addStrangerTransaction('owner', this.random.pick(TIPS), (state) => {
      const effects: Effects = { logs: [], transfers: [] }
      const transfer = to && { from: authorizer, to, value, nonce }
      useAuthorization(state, effects, { authorizer, nonce, ...(transfer ? { transfer } : {}) })
      return effects
    })
  }

  /** Compares the balances of the server's addresses with its ledger, exactly. Throws Violation. */
  async compareWithLedger(db: Database): Promise<void> {
    const { state } = this.chain.head
    const { rows: addresses } = await db.query<{ address: Hex }>('SELECT address FROM chain_addresses')
    const onChain = addresses.reduce(
      (sum, { address }) => sum + state.getTokenBalance(toLowerHex(address)),
      0n,
    )
    const { rows } = await db.query<{ posted: string }>(
      `SELECT posted FROM ledger_accounts WHERE name = 'rail:${RAIL}' AND currency = 'USDC'`,
    )
    const posted = BigInt(rows[0]?.posted ?? 0)
    if (posted !== onChain)
      throw new Violation(`The addresses have ${onChain} on the chain, but ${posted} in the ledger`)
  }
}
