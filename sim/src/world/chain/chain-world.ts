import type { Hex } from '../../../../server/src/base/formats/hex.ts'
import { lowerHex } from '../../../../server/src/base/formats/hex.ts'
import type { App } from '../../../../server/src/kernel/operation/app.ts'
import { TREASURY } from '../../../../server/src/outside/chains/evm-rail.ts'
import { pathOf } from '../../../../server/src/outside/chains/formats/paths.ts'
import type { Database } from '../../../../server/src/storage/engine/port.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Network } from '../../machine/network.ts'
import type { Random } from '../../machine/random.ts'
import { Wrong } from '../../model/model.ts'
import { Chain, type ChainHabits } from './chain.ts'
import { ChainNode, type NodeHabits } from './nodes.ts'
import { CHAIN_ID, type Effects, MULTICALL, move, TOKEN, useAuthorization } from './token.ts'

const RAIL = 'base'
const TREASURY_FUNDS = 1_000_000_000n
const GAS_FUNDS = 10n ** 20n
/** Priority fees above and below the ones that the server offers. */
const TIPS = [1_000_000n, 1n] as const

/** The seed's choices for a chain, its nodes, and its other users. */
export interface ChainWorldHabits extends ChainHabits {
  readonly nodes: number
  readonly agreement: 1 | 2
  readonly node: NodeHabits
  readonly sweeps: boolean
  /** The fraction of wallet payments whose owner uses the nonce elsewhere. */
  readonly owners: number
}

export function chainHabitsOf(random: Random): ChainWorldHabits {
  const agreement = random.pick([1, 2] as const)
  const fraction = (max: number) => (random.chance(0.5) ? (max * random.integerBelow(1_000)) / 1_000 : 0)
  return {
    agreement,
    nodes: agreement + random.integerBelow(2),
    confirmations: 2 + random.integerBelow(2),
    blockMs: random.pick([500, 1_000, 1_500]),
    sweeps: random.chance(0.5),
    owners: random.pick([0, 0.4, 0.8]),
    reorganisations: fraction(0.3),
    forgotten: fraction(0.3),
    dearBlocks: fraction(0.3),
    node: {
      behind: fraction(0.5),
      lostAnswers: fraction(0.4),
      missingLogs: agreement === 2 ? fraction(0.1) : 0,
      downEveryMs: random.chance(0.4) ? 1_000 + random.integerBelow(8_000) : undefined,
    },
  }
}

/** The owner's use of an authorization: for a transfer, or to cancel it. */
export interface OwnUse {
  readonly authorizer: Hex
  readonly nonce: Hex
  readonly to?: Hex
  readonly value: bigint
}

/**
 * A chain with its nodes, and people who use it directly. It is not a program of the simulation and is never
 * killed.
 */
export class ChainWorld {
  readonly chain: Chain
  readonly habits: ChainWorldHabits
  readonly random: Random
  readonly #nodes: readonly ChainNode[]
  #treasury: Hex = '0x'
  readonly #payers = new Set<Hex>()

  constructor(machine: Machine, network: Network, habits: ChainWorldHabits) {
    this.habits = habits
    this.random = machine.random.fork()
    this.chain = new Chain(machine, this.random.fork(), habits)
    this.#nodes = Array.from(
      { length: habits.nodes },
      (_, at) => new ChainNode(machine, network, this.chain, habits.node, at),
    )
  }

  /** The rail's entry in the rails file. */
  entry(): object {
    const { agreement, confirmations, sweeps } = this.habits
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
    this.#treasury = lowerHex(enclave.chainAddress(pathOf(RAIL, 'TREASURY', TREASURY)))
    const gas = lowerHex(enclave.chainAddress(pathOf(RAIL, 'GAS', 'GAS 0')))
    this.chain.put('coin', 1n, (state) => {
      state.coins.set(gas, state.coinOf(gas) + GAS_FUNDS)
      return { logs: [], transfers: [] }
    })
    this.payIn(this.#treasury, TREASURY_FUNDS)
    this.chain.start()
  }

  get treasury(): Hex {
    return this.#treasury
  }

  set isCalm(isCalm: boolean) {
    this.chain.isCalm = isCalm
    for (const node of this.#nodes) node.isCalm = isCalm
  }

  end(): void {
    this.chain.end()
  }

  /** Makes a stranger pay to an address. Returns the stranger's address. */
  payIn(to: Hex, value: bigint): Hex {
    const from: Hex = `0x${String(this.#payers.size).padStart(38, 'd')}ee`
    this.#payers.add(from)
    this.chain.put(`pay in ${from}`, 1n, (state) => {
      const effects: Effects = { logs: [], transfers: [] }
      state.tokens.set(from, state.tokensOf(from) + value)
      move(state, effects, { from, to, value })
      return effects
    })
    return from
  }

  /** The money that strangers have paid to the server's addresses, in blocks up to the head. */
  sumReceived(): bigint {
    return this.chain
      .transfers()
      .filter(({ from }) => this.#payers.has(from))
      .reduce((sum, { value }) => sum + value, 0n)
  }

  /**
   * Makes a wallet's owner, who has its key, submit one of its authorizations to the chain. Returns the
   * transaction hash.
   */
  useByOwner({ authorizer, nonce, to, value }: OwnUse): Hex {
    return this.chain.put('owner', this.random.pick(TIPS), (state) => {
      const effects: Effects = { logs: [], transfers: [] }
      const by = to && { from: authorizer, to, value, nonce }
      useAuthorization(state, effects, { authorizer, nonce, ...(by ? { by } : {}) })
      return effects
    })
  }

  /** Compares the server's addresses on the chain with its ledger, exactly. Throws Wrong. */
  async checkBooks(db: Database): Promise<void> {
    const { state } = this.chain.head
    const { rows: addresses } = await db.query<{ address: Hex }>('SELECT address FROM chain_addresses')
    const held = addresses.reduce((sum, { address }) => sum + state.tokensOf(lowerHex(address)), 0n)
    const { rows } = await db.query<{ posted: string }>(
      `SELECT posted FROM ledger_accounts WHERE name = 'rail:${RAIL}' AND currency = 'USDC'`,
    )
    const posted = BigInt(rows[0]?.posted ?? 0)
    if (posted !== held)
      throw new Wrong(`The addresses have ${held} on the chain, and ${posted} in the books`)
  }
}
