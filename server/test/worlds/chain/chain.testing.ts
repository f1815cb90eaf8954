import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anvilBinary } from '../../../../contracts/anvil.ts'
import { type LocalChain, type LocalChainOptions, openLocalChain } from '../../../../contracts/local-chain.ts'
import { type Hex, toLowerHex } from '../../../src/base/formats/hex.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { Service } from '../../../src/edge/service/service.ts'
import type { ChainAlert } from '../../../src/kernel/ports/metrics.ts'
import { type EvmRail, isEvmRail } from '../../../src/outside/chains/evm-rail.ts'
import { combineCalls, transferCall } from '../../../src/outside/chains/formats/calls.ts'
import { pathOf } from '../../../src/outside/chains/formats/paths.ts'
import { type Client, type Reply, until } from '../client.testing.ts'
import { accountOf, serveRates } from '../production/production.testing.ts'
import { PERSON } from '../records/onboarding.testing.ts'
import { openServer, type TestServer } from '../server.testing.ts'
import { type LyingProxy, openLyingProxy } from './lying-proxy.testing.ts'

/** True if the program that runs a local chain is not installed. Tests that need a chain are then skipped. */
export const chainAbsent = anvilBinary() === undefined
if (chainAbsent)
  console.warn(
    `No anvil for ${process.platform}-${process.arch}, so no test has a chain. ANVIL can be the path of one.`,
  )

/**
 * Starts the test's own chain on a free port. Call it in `beforeAll`, so that the tests of a file share it,
 * and close it in `afterAll`.
 */
export function openChain(options: Omit<LocalChainOptions, 'port' | 'stateFile'> = {}): Promise<LocalChain> {
  return openLocalChain(options)
}

/** A server whose rail is a separate local chain, used over HTTP. */
export interface OnChain {
  readonly chain: LocalChain
  readonly service: TestServer
  readonly client: Client
  /** The rail as loaded by the server. */
  rail(): EvmRail
  /** Rewrites the rails file and makes the server reload it. */
  setRail(entry: object): Promise<void>
  close(): Promise<void>
}

export const CONFIRMATIONS = 3

/** A coin price so low that the chain's fee for a transfer is one unit of USDC, whatever the gas costs. */
export const CHEAP_COIN = '0.000001'
/** The chain's fee at that price. */
export const NETWORK_FEE = 1n

/** Builds the entry in the rails file for a rail on this chain. */
export function buildEvmEntry(
  chain: Pick<LocalChain, 'url' | 'chainId' | 'token'>,
  more: object = {},
): object {
  return {
    kind: 'evm',
    name: 'base',
    network: 'BASE',
    chainId: chain.chainId,
    rpcs: [{ type: 'url', url: chain.url }],
    confirmations: CONFIRMATIONS,
    tokens: [{ currency: 'USDC', address: chain.token, standard: 'EIP3009' }],
    serves: (['OUT', 'IN'] as const).map((direction) => ({
      direction,
      accountTypes: ['BASE_WALLET'],
      currencies: ['USDC'],
    })),
    ...more,
  }
}

/**
 * Starts a server on a chain and, unless `isReached` is false, waits until it has connected. The treasury and the
 * gas account have money. `mode` is production, or a sandbox with a chain; `rails` are further rails for the
 * file.
 */
export async function openOnChain({
  mode = 'production',
  entry = {},
  chain: existingChain,
  rails = [],
  funded = true,
  isReached = true,
  usdPerEth = CHEAP_COIN,
}: {
  readonly mode?: 'production' | 'sandbox'
  readonly entry?: object
  readonly chain?: LocalChain
  readonly rails?: readonly object[]
  readonly funded?: boolean
  readonly isReached?: boolean
  readonly usdPerEth?: string
} = {}): Promise<OnChain> {
  const chain = existingChain ?? (await openChain())
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chain-'))
  const railsFile = join(folder, 'rails.json')
  const rates = await serveRates(usdPerEth)
  const writeRails = (railEntry: object) =>
    writeFile(railsFile, JSON.stringify({ rails: [railEntry, ...rails] }))
  await writeRails(buildEvmEntry(chain, entry))
  const service = await openServer({
    COUNTERSIGN_MODE: mode,
    RAILS_FILE: railsFile,
    ...(mode === 'production' ? { RATES_URL: rates.url } : {}),
  })
  const client = await service.newPlatform()
  if (mode === 'production') await enableUsdc(client)
  const rail = () => service.app.rails.list().find(isEvmRail)!
  if (isReached) await waitForChain({ service })
  if (funded) {
    const { treasury } = rail().chain
    await chain.mint(treasury, TREASURY_FUNDS, toLowerHex(rail().entry.tokens[0]?.address ?? chain.token))
    await chain.sendCoin(findGasAddress(service, rail()), 10n ** 20n)
    if (isReached) await waitForTreasuryCredit({ chain, service })
  }
  return {
    chain,
    service,
    client,
    rail,
    setRail: async (railEntry) => {
      await writeRails(railEntry)
      await service.reloadRails()
    },
    async close() {
      await service.close()
      await rates.close()
      if (!existingChain) await chain.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const TREASURY_FUNDS = 1_000_000_000_000n

/**
 * Waits until the platform has been credited with the treasury's funds, so that they do not change balances
 * that a test compares.
 */
async function waitForTreasuryCredit({ chain, service }: Pick<OnChain, 'chain' | 'service'>): Promise<void> {
  await chain.mine(CONFIRMATIONS)
  await until(
    async () => (await service.app.db.query<{ posted: bigint }>(RAIL_BALANCES)).rows,
    (rows) => rows.some(({ posted }) => BigInt(posted) === TREASURY_FUNDS),
  )
}

const RAIL_BALANCES = "SELECT abs(posted) AS posted FROM ledger_accounts WHERE name LIKE 'rail:%'"

/** Waits until the server has connected to the chain, which it follows from then on. */
export async function waitForChain({ service }: { readonly service: Pick<Service, 'app'> }): Promise<void> {
  await until(
    () => service.app.read.selectFrom('chains').select('id').executeTakeFirst(),
    (row) => row !== undefined,
  )
}

/** Gives the platform and its customers accounts in USDC. */
async function enableUsdc(client: Client): Promise<void> {
  const transactionTypes = ['OUTGOING', 'INCOMING']
  const [minAmount, maxAmount] = [1, 1_000_000_000_000_000]
  const supportedCurrencies = ['USDC', 'EUR', 'USD'].map((currencyCode) => ({
    currencyCode,
    minAmount,
    maxAmount,
    requiredCounterpartyFields: [],
    enabledTransactionTypes: transactionTypes,
  }))
  const changed = await client.send('PATCH', '/config', { supportedCurrencies })
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body))
}

/** Finds the address of a rail's first gas account. */
export function findGasAddress({ app }: Pick<OnChain['service'], 'app'>, { name }: EvmRail): Hex {
  return app.enclave.chainAddress(pathOf(name, 'GAS', 'GAS 0'))
}

/** Creates an approved customer, with a USDC account and its address. */
export async function newHolder({ client, service }: Pick<OnChain, 'client' | 'service'>): Promise<{
  readonly customerId: string
  readonly account: Reply['body']
  readonly address: Hex
}> {
  const created = await client.post('/customers', PERSON)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const { id: customerId } = created.body
  const started = await client.post('/verifications', { customerId })
  const args = ['verification', 'decide', '--verification', started.body.id, '--decision', 'APPROVE']
  await runCommand(service.app, args, client.baseUrl)
  const account = await accountOf(client, customerId, 'USDC')
  return { customerId, account, address: account.fundingPaymentInstructions[0].accountOrWalletInfo.address }
}

/** Waits until an account has this many deposits, and returns them. Throws if it has more. */
export async function credited(
  { client }: OnChain,
  accountId: string,
  count: number,
  seconds?: number,
): Promise<Reply['body'][]> {
  const deposits = await until(
    () => client.get(`/deposits?accountId=${accountId}&limit=100`),
    ({ body }) => body.data.length >= count,
    seconds,
  )
  const { data } = deposits.body
  if (data.length > count)
    throw new Error(`${accountId} has ${data.length} deposits instead of ${count}: ${JSON.stringify(data)}`)
  return data
}

/** Reads the available balance of a customer's or the platform's account, in the smallest unit. */
export async function balanceOf({ client }: OnChain, customerId: string | undefined): Promise<bigint> {
  const accounts = await client.get(
    customerId === undefined
      ? '/platform/internal-accounts?currency=USDC'
      : `/customers/internal-accounts?customerId=${customerId}&currency=USDC`,
  )
  return BigInt(accounts.body.data[0].balance.amount)
}

/** Waits until the server has followed the chain as far as currently possible. */
export async function followed(
  { chain, service }: Pick<OnChain, 'chain' | 'service'>,
  seconds?: number,
): Promise<void> {
  const { number } = await chain.block()
  const last = number - BigInt(CONFIRMATIONS) + 1n
  await until(
    () => service.app.read.selectFrom('chains').select('followed_block').executeTakeFirst(),
    (row) => row !== undefined && row.followed_block >= last,
    seconds,
  )
}

/** The part of a chain's day, in UTC, that a test may take until it reads the day's statement. */
const TEST_SECONDS_MAX = 300n
export const DAY_SECONDS = 86_400n

/**
 * Moves the chain past midnight if its day is about to end, so that everything a test books is on one day's
 * statement.
 */
export async function avoidMidnight({ chain }: Pick<OnChain, 'chain'>): Promise<void> {
  const { timestamp } = await chain.block()
  const secondsLeft = DAY_SECONDS - (timestamp % DAY_SECONDS)
  if (secondsLeft > TEST_SECONDS_MAX) return
  await chain.rpc('evm_increaseTime', [Number(secondsLeft)])
  await chain.mine(1)
}

/** Counts the alerts of a kind so far. */
export async function countAlerts({ service }: Pick<OnChain, 'service'>, kind: ChainAlert): Promise<number> {
  const text = await service.app.metrics.text(async () => true)
  const found = new RegExp(
    `^countersign_chain_alerts_total\\{rail="base",kind="${kind}"\\} (\\d+)$`,
    'm',
  ).exec(text)
  return Number(found?.[1] ?? 0)
}

/** Sends many small transfers of one unit each, in blocks of 500. */
export async function sendDust({ chain }: Pick<OnChain, 'chain'>, to: Hex, count: number): Promise<void> {
  await chain.mint(chain.multicall, BigInt(count))
  for (let remaining = count; remaining > 0; remaining -= DUST_PER_BLOCK) {
    const calls = Array.from({ length: Math.min(remaining, DUST_PER_BLOCK) }, () =>
      transferCall(chain.token, to, 1n),
    )
    const call = combineCalls(chain.multicall, calls)
    await chain.rpc('eth_sendTransactionSync', [
      { from: chain.account(8).address, ...call, gas: '0x1c9c380' },
    ])
  }
}

const DUST_PER_BLOCK = 500

/** Reads the rail's ledger balance and the total of its addresses on the chain, in the smallest unit. */
export async function bothSides({
  chain,
  service,
}: Pick<OnChain, 'chain' | 'service'>): Promise<readonly [bigint, bigint]> {
  const { rows } = await service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = 'rail:base' AND currency = 'USDC'",
  )
  const ownAddresses = await service.app.read.selectFrom('chain_addresses').select('address').execute()
  const held = await Promise.all(ownAddresses.map(({ address }) => chain.balanceOf(chain.token, address)))
  return [BigInt(rows[0]?.posted ?? 0), held.reduce((sum, balance) => sum + balance, 0n)]
}

/** A server whose node is a proxy that can lie about the chain. */
export interface BehindProxy extends OnChain {
  readonly proxy: LyingProxy
  /** The nodes as in the rail's entry. */
  readonly rpcs: readonly object[]
}

/** Starts a server behind a lying proxy on a new chain. With an agreement of 2, the second node is the chain itself. */
export async function openBehindProxy({
  agreement = 1,
  entry = {},
  usdPerEth = CHEAP_COIN,
}: {
  readonly agreement?: 1 | 2
  readonly entry?: object
  readonly usdPerEth?: string
} = {}): Promise<BehindProxy> {
  const chain = await openChain()
  const proxy = await openLyingProxy(chain.url)
  const rpcs = [proxy.url, chain.url].slice(0, agreement).map((url) => ({ type: 'url', url }))
  const onChain = await openOnChain({ chain, entry: { rpcs, agreement, ...entry }, usdPerEth })
  return {
    ...onChain,
    proxy,
    rpcs,
    async close() {
      await onChain.close()
      await proxy.close()
      await chain.close()
    },
  }
}
