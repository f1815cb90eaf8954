import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, parseAbi } from 'viem'
import { type LocalChain, openLocalChain } from '../../contracts/local-chain.ts'
import { rpcBatch } from '../../contracts/rpc.ts'
import {
  type Credentials,
  type DatabaseKind,
  newPlace,
  operate,
  readCredentials,
  startServer,
} from './server-process.ts'
import { median, quantile, table, whole } from './table.ts'

const PAYOUTS = 500
const PAYOUT_CLIENTS = 16
const DEPOSITS = 500
const LONE_DEPOSITS = 30
const MINED_AT_ONCE = 1000
/** Of the chain while payouts are measured, and how deep a block has to be. */
const BLOCK_SECONDS = 1
const CONFIRMATIONS = 2
const MINT_GAS = 60_000n
const MINT = parseAbi(['function mint(address to, uint256 value)'])
/** How long anything may take. */
const WAIT_MS = 300_000
const LOOK_MS = 5
const UNIT = 1_000_000n

/** The account at whose address deposits arrive, and the platform's own. */
interface World {
  readonly chain: LocalChain
  readonly api: Api
  readonly customerId: string
  readonly address: `0x${string}`
  readonly treasury: `0x${string}`
}

/**
 * Measures a sandbox on a chain of this machine, with one gas account: payouts until they are confirmed, deposits of one block until they
 * are credited, how long after its confirmed block a lone deposit is, and how long `blocks` take to follow. Prints figures.
 */
export async function runChain(database: DatabaseKind, blocks: number): Promise<void> {
  const chain = await openLocalChain()
  const bare = await newPlace(database)
  const railsFile = join(bare.dataDir, 'rails.json')
  const place = { ...bare, env: { ...bare.env, RAILS_FILE: railsFile, LOG_LEVEL: 'warn' } }
  try {
    await writeFile(railsFile, JSON.stringify({ rails: [entryOf(chain)] }))
    let { server, baseUrl } = await startServer(place)
    try {
      const { data } = (await operate(place, ['rails', 'list'])) as { data: [{ treasury: `0x${string}` }] }
      const world = await prepare(chain, new Api(readCredentials(place, baseUrl)), data[0].treasury)
      for (const measure of [payouts, burst, lag]) print(await measure(world))
      const had = BigInt((await accountOf(world.api, world.customerId)).balance.amount)
      await server.stop()
      await mineAhead(world, blocks)
      ;({ server, baseUrl } = await startServer(place))
      print(await follow({ ...world, api: new Api(readCredentials(place, baseUrl)) }, had, blocks))
    } finally {
      await server.stop()
    }
  } finally {
    await chain.close()
    await place.remove()
  }
}

function entryOf({ url, chainId, token, multicall, account }: LocalChain): object {
  const serves = ['OUT', 'IN'].map((direction) => ({
    direction,
    accountTypes: ['BASE_WALLET'],
    currencies: ['USDC'],
  }))
  return {
    ...{ kind: 'evm', name: 'bench-chain', network: 'BASE', chainId, serves, multicall },
    rpcs: [{ type: 'url', url }],
    tokens: [{ currency: 'USDC', address: token, standard: 'EIP3009' }],
    confirmations: CONFIRMATIONS,
    faucet: account(0).address,
  }
}

async function prepare(chain: LocalChain, api: Api, treasury: World['treasury']): Promise<World> {
  const made = await api.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
  const customerId = String(made.id)
  const account = await until(
    () => accountOf(api, customerId),
    ({ fundingPaymentInstructions }) =>
      fundingPaymentInstructions.some(
        ({ accountOrWalletInfo }) => accountOrWalletInfo.accountType === 'BASE_WALLET',
      ) && fundingPaymentInstructions[0]!.instructionsNotes?.startsWith('Sandbox') === false,
  )
  const address = account.fundingPaymentInstructions[0]!.accountOrWalletInfo.address
  return { chain, api, customerId, address, treasury }
}

/** Transfers out of an account that the treasury covers, by one gas account. */
async function payouts({ chain, api, customerId, address, treasury }: World): Promise<string[][]> {
  const { id } = await accountOf(api, customerId)
  const amount = BigInt(PAYOUTS) * UNIT
  await chain.mint(address, amount)
  await chain.mine(CONFIRMATIONS)
  await credited(api, customerId, amount)
  await chain.mint(treasury, amount)
  await chain.mine(CONFIRMATIONS)
  const payee = await api.post('/customers/external-accounts', {
    customerId,
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' },
  })
  await chain.rpc('evm_setAutomine', [false])
  await chain.rpc('evm_setIntervalMining', [BLOCK_SECONDS])
  const begun = performance.now()
  const ids: string[] = []
  const send = async () => {
    while (ids.length < PAYOUTS) {
      const at = ids.push('') - 1
      const sent = await api.post('/transfer-out', {
        source: { accountId: id },
        destination: { accountId: payee.id },
        amount: Number(UNIT),
      })
      ids[at] = String(sent.id)
    }
  }
  await Promise.all(Array.from({ length: PAYOUT_CLIENTS }, send))
  const accepted = performance.now()
  for (const one of ids)
    await until(
      () => api.get(`/transactions/${one}`),
      ({ status }) => status === 'COMPLETED',
    )
  const seconds = (performance.now() - begun) / 1000
  await chain.rpc('evm_setIntervalMining', [0])
  await chain.rpc('evm_setAutomine', [true])
  return [
    [`${PAYOUTS} payouts taken, per second`, whole(PAYOUTS / ((accepted - begun) / 1000))],
    [`${PAYOUTS} payouts confirmed, blocks of ${BLOCK_SECONDS} s, per second`, whole(PAYOUTS / seconds)],
  ]
}

/** Deposits that are all in one block. */
async function burst(world: World): Promise<string[][]> {
  const { chain, api, customerId, address } = world
  const had = BigInt((await accountOf(api, customerId)).balance.amount)
  const { address: from } = chain.account(0)
  const data = encodeFunctionData({ abi: MINT, functionName: 'mint', args: [address, 1n] })
  await chain.rpc('evm_setAutomine', [false])
  const nonce = BigInt((await chain.rpc('eth_getTransactionCount', [from, 'latest'])) as string)
  const transfers = Array.from({ length: DEPOSITS }, (_, n) => ({
    method: 'eth_sendTransaction',
    params: [{ from, to: chain.token, data, gas: MINT_GAS, nonce: nonce + BigInt(n) }],
  }))
  await rpcBatch(chain.url, transfers)
  const begun = performance.now()
  await chain.mine(CONFIRMATIONS)
  await credited(api, customerId, had + BigInt(DEPOSITS))
  const seconds = (performance.now() - begun) / 1000
  await chain.rpc('evm_setAutomine', [true])
  return [[`${DEPOSITS} deposits of one block credited, per second`, whole(DEPOSITS / seconds)]]
}

/** Deposits one after the other: from the block that confirms one to its credit. */
async function lag({ chain, api, customerId, address }: World): Promise<string[][]> {
  const taken: number[] = []
  for (let n = 0; n < LONE_DEPOSITS; n++) {
    const had = BigInt((await accountOf(api, customerId)).balance.amount)
    await chain.mint(address, 1n)
    await chain.mine(CONFIRMATIONS - 1)
    const begun = performance.now()
    await credited(api, customerId, had + 1n)
    taken.push(performance.now() - begun)
  }
  return [
    ['confirmed block to credit, median ms', whole(median(taken))],
    [`confirmed block to credit, worst of ${LONE_DEPOSITS}, ms`, whole(quantile(taken, 1))],
  ]
}

/** Has the chain go on without the server, and end with a deposit. */
async function mineAhead({ chain, address }: World, blocks: number): Promise<void> {
  for (let left = blocks; left > 0; left -= MINED_AT_ONCE) await chain.mine(Math.min(left, MINED_AT_ONCE))
  await chain.mint(address, 1n)
  await chain.mine(CONFIRMATIONS - 1)
}

/** From the start of the server to the credit of a deposit behind many blocks. */
async function follow({ api, customerId }: World, had: bigint, blocks: number): Promise<string[][]> {
  const begun = performance.now()
  await credited(api, customerId, had + 1n)
  return [[`${whole(blocks)} blocks followed, s`, ((performance.now() - begun) / 1000).toFixed(1)]]
}

function print(rows: string[][]): void {
  process.stdout.write(table(rows))
}

interface Account {
  readonly id: string
  readonly balance: { readonly amount: number }
  readonly fundingPaymentInstructions: readonly {
    readonly instructionsNotes?: string
    readonly accountOrWalletInfo: { readonly accountType: string; readonly address: `0x${string}` }
  }[]
}

async function accountOf(api: Api, customerId: string): Promise<Account> {
  const { data } = await api.get(`/customers/internal-accounts?customerId=${customerId}&currency=USDC`)
  return (data as Account[])[0]!
}

function credited(api: Api, customerId: string, amount: bigint): Promise<Account> {
  return until(
    () => accountOf(api, customerId),
    ({ balance }) => BigInt(balance.amount) >= amount,
  )
}

async function until<T>(look: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    const found = await look()
    if (isThere(found)) return found
    if (performance.now() > end) throw new Error(`Waited too long: ${JSON.stringify(found)}`)
    await sleep(LOOK_MS)
  }
}

/** The API of the server by its first platform. */
class Api {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ baseUrl, tokenId, clientSecret }: Credentials) {
    this.#base = baseUrl
    const authorization = Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')
    this.#headers = { Authorization: `Basic ${authorization}`, 'Content-Type': 'application/json' }
  }

  get(path: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(path, {})
  }

  post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(path, { method: 'POST', body: JSON.stringify(body) })
  }

  async #ask(path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(this.#base + path, { ...init, headers: this.#headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}
