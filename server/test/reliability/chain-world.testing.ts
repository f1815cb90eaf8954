import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Hex, keccak256, toHex } from 'viem'
import { expect, onTestFinished } from 'vitest'
import type { LocalChain } from '../../../contracts/local-chain.ts'
import { openDatabase } from '../../src/storage/engine/open.ts'
import type { Database } from '../../src/storage/engine/port.ts'
import { buildEvmEntry, openChain } from '../worlds/chain/chain.testing.ts'
import { type LyingProxy, openLyingProxy } from '../worlds/chain/lying-proxy.testing.ts'
import { type Client, type Reply, until } from '../worlds/client.testing.ts'
import { newPlace, onPostgres, type Place, ServerProcess } from '../worlds/server-process.testing.ts'
import type { Random } from './faults.testing.ts'

/**
 * The time of a kill: before the node receives the server's call, before the server receives the response, or
 * a little after that.
 */
const MOMENTS = ['asked', 'answered', 'later'] as const

/** The next call of a method, and the moment of it when the servers are killed. */
export interface KillPoint {
  readonly method: string
  readonly moment: (typeof MOMENTS)[number]
}

const MINE_MS = 100
const LATER_MS_MAX = 40
const CONFIRMATIONS = 3
const REORGANISED_SHARE = 0.05
const CALM_BLOCKS = 20

/**
 * A chain that is mined continuously, with a node that kills its callers, and servers in separate processes.
 */
export class ChainWorld {
  readonly chain: LocalChain
  readonly proxy: LyingProxy
  readonly place: Place
  readonly #random: Random
  readonly #env: Readonly<Record<string, string>>
  readonly #servers: ServerProcess[] = []
  #hasStarted = false
  #isMining = true
  #isCalm = false
  #mining: Promise<void>
  #reorganising: Promise<void> = Promise.resolve()
  kills = 0
  #killing: Promise<void> = Promise.resolve()

  static async open(random: Random): Promise<ChainWorld> {
    const chain = await openChain({ automine: false })
    // The contracts are deeper than any reorganisation.
    await chain.mine(2 * CONFIRMATIONS)
    const proxy = await openLyingProxy(chain.url)
    const place = await newPlace()
    const railsFile = join(place.dataDir, 'rails.json')
    const entry = buildEvmEntry(
      { ...chain, url: proxy.url },
      { confirmations: CONFIRMATIONS, fees: { stuckSeconds: 1 } },
    )
    await writeFile(railsFile, JSON.stringify({ rails: [entry] }))
    const world = new ChainWorld(chain, proxy, place, { RAILS_FILE: railsFile, LOG_LEVEL: 'error' }, random)
    onTestFinished(() => world.close())
    await world.#startAll(onPostgres ? 2 : 1)
    return world
  }

  private constructor(
    chain: LocalChain,
    proxy: LyingProxy,
    place: Place,
    env: Readonly<Record<string, string>>,
    random: Random,
  ) {
    this.chain = chain
    this.proxy = proxy
    this.place = place
    this.#env = env
    this.#random = random
    this.#mining = this.#mine()
  }

  get client(): Client {
    if (this.#servers.length === 0) throw new Error('No server is up')
    return this.#random.pick(this.#servers).client()
  }

  /** Calls the API until a server responds: the called one may have been killed. */
  async call(send: (client: Client) => Promise<Reply>): Promise<Reply> {
    return until(
      async () => {
        try {
          return await send(this.client)
        } catch (error) {
          return { status: 0, body: String(error) } as Reply
        }
      },
      ({ status }) => status !== 0 && status < 500,
      60,
    )
  }

  /** Kills the servers at this point of their next call, and starts them again. */
  killAt({ method, moment }: KillPoint): void {
    this.proxy.lie(
      method,
      async (_, truth) => {
        const response = moment === 'asked' ? undefined : await truth()
        this.#killing = this.#killAll(moment === 'later' ? this.#random.below(LATER_MS_MAX) : 0)
        if (moment === 'later' && response) return response
        await this.#killing
        return { spoil: (reply) => reply.destroy() }
      },
      1,
    )
  }

  /** Ends the wait for a call that was never made. Resolves once the servers are up. */
  async waitUntilUp(): Promise<void> {
    this.proxy.honest()
    await this.#killing
  }

  /** Kills all servers, because it is unknown which of them works on the chain. */
  async #killAll(afterMs: number): Promise<void> {
    await pause(afterMs)
    this.kills += 1
    const servers = this.#servers.splice(0)
    await Promise.all(servers.map((server) => server.kill('SIGKILL')))
    await this.#startAll(servers.length)
  }

  /** Starts the servers in parallel, once the first of them has written the credentials. */
  async #startAll(count: number): Promise<void> {
    const startServer = async () => {
      this.#servers.push(await ServerProcess.ready(this.place, this.#env))
    }
    if (!this.#hasStarted) await startServer()
    this.#hasStarted = true
    await Promise.all(Array.from({ length: count - this.#servers.length }, startServer))
  }

  async #mine(): Promise<void> {
    while (this.#isMining) {
      await pause(MINE_MS)
      if (!this.#isMining) return
      // Transactions of replaced blocks wait for another block, or have to be sent again.
      if (!this.#isCalm && this.#random.chance(REORGANISED_SHARE))
        this.#reorganising = this.chain.reorg(CONFIRMATIONS - 1).catch(() => undefined)
      await this.#reorganising
      await this.chain.mine(1).catch(() => undefined)
    }
  }

  /** Creates units of the token. */
  mint(to: Hex, amount: bigint): Promise<void> {
    return this.#change(() => this.chain.mint(to, amount))
  }

  /** Sets the balance of an account in wei. */
  setCoin(account: Hex, wei: bigint): Promise<void> {
    return this.#change(() => this.chain.setCoin(account, wei))
  }

  /**
   * Changes the chain. Pauses reorganizations until the change is deep: one could undo it, and no server would
   * repeat it.
   */
  async #change(apply: () => Promise<unknown>): Promise<void> {
    this.#isCalm = true
    await this.#reorganising
    const { number } = await this.chain.block()
    await apply()
    await this.#waitForBlock(number + BigInt(2 * CONFIRMATIONS))
    this.#isCalm = false
  }

  /**
   * Waits until nothing is in progress on the chain: no further reorganization happens, and every sent
   * transaction is confirmed.
   */
  async waitUntilQuiet(): Promise<void> {
    this.#isCalm = true
    const { number } = await this.chain.block()
    await this.#waitForBlock(number + BigInt(CALM_BLOCKS))
  }

  async #waitForBlock(number: bigint): Promise<void> {
    await until(
      () => this.chain.block(),
      (block) => block.number > number,
      60,
    )
  }

  /** Reads the database. The embedded one allows one process, so the servers are down during the read. */
  async readDatabase<T>(read: (db: Database) => Promise<T>): Promise<T> {
    const count = this.#servers.length
    await this.stopServers()
    const db = await openDatabase(this.place)
    try {
      return await read(db)
    } finally {
      await db.close()
      await this.#startAll(count)
    }
  }

  async stopServers(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.kill('SIGTERM')))
  }

  async close(): Promise<void> {
    this.#isMining = false
    await this.#mining
    await this.stopServers()
    await this.proxy.close()
    await this.chain.close()
  }

  /** Lists all transfers in the token's log on the current chain. */
  async listTransfers(): Promise<
    readonly { readonly from: Hex; readonly to: Hex; readonly amount: bigint; readonly hash: Hex }[]
  > {
    const topic = keccak256(toHex('Transfer(address,address,uint256)'))
    const filter = { address: this.chain.token, fromBlock: '0x0', toBlock: 'latest', topics: [topic] }
    const logs = (await this.chain.rpc('eth_getLogs', [filter])) as {
      topics: [Hex, Hex, Hex]
      data: Hex
      transactionHash: Hex
    }[]
    return logs.map(({ topics, data, transactionHash }) => ({
      from: `0x${topics[1].slice(26)}`,
      to: `0x${topics[2].slice(26)}`,
      amount: BigInt(data),
      hash: transactionHash,
    }))
  }

  async newPayee(address: string): Promise<string> {
    const { status, body } = await this.call((client) =>
      client.post('/platform/external-accounts', {
        currency: 'USDC',
        accountInfo: { accountType: 'BASE_WALLET', address },
      }),
    )
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id
  }
}
