import { expect } from 'vitest'
import { newAddress } from '../worlds/chain/holder.testing.ts'
import { type Reply, until } from '../worlds/client.testing.ts'
import { ChainWorld, type KillPoint } from './chain-world.testing.ts'
import { isFull, type Random, seededRandom } from './faults.testing.ts'

/** Kills of one test on each run; the full size has every place in the work. */
const KILLS = 2
const FUNDS = 1_000_000_000n
const SENDING = 'eth_sendRawTransaction'

/**
 * Kills the servers of a chain at one moment of each call that they make to its node, while they pay out and are paid. Then
 * each payout is on the chain once, each deposit is credited once, and the books are the chain.
 */
export async function killAtEveryCall(moment: KillPoint['moment']): Promise<void> {
  const random = seededRandom()
  const world = await ChainWorld.open(random)
  const till = await Till.open(world)
  const methods = await methodsOf(world, () => till.round(undefined))
  expect(methods).toEqual(expect.arrayContaining([SENDING, 'eth_getLogs']))
  const points = pointsOf(methods, moment, random)
  for (const point of points) await till.round(point)
  // A call that a step does not make every time may not come. Sending does.
  const killsMin = Math.ceil(points.length / 2)
  for (let more = 0; world.kills < killsMin && more < points.length; more++)
    await till.round({ method: SENDING, moment })
  expect(world.kills).toBeGreaterThanOrEqual(killsMin)
  await world.quiet()
  await till.expectPaidOnce()
  await world.stopServers()
  await expectBooksAreTheChain(world)
}

/** The methods of the calls to the node are the places in the work. */
async function methodsOf(world: ChainWorld, by: () => Promise<void>): Promise<readonly string[]> {
  const before = world.proxy.calls().length
  await by()
  const calls = world.proxy.calls().slice(before)
  return [...new Set(calls.map(({ method }) => method))]
}

function pointsOf(methods: readonly string[], moment: KillPoint['moment'], random: Random): KillPoint[] {
  const all = methods.map((method) => ({ method, moment }))
  if (isFull) return all
  return [...Array.from({ length: KILLS - 1 }, () => random.pick(all)), { method: SENDING, moment }]
}

/** The platform's account on the chain: it pays out and is paid, over HTTP. */
class Till {
  readonly #world: ChainWorld
  readonly #accountId: string
  readonly #deposits: `0x${string}`
  readonly #treasury: string
  readonly #paid: { readonly address: string; readonly amount: bigint }[] = []
  #balance = 0n

  private constructor(world: ChainWorld, accountId: string, deposits: `0x${string}`, treasury: string) {
    this.#world = world
    this.#accountId = accountId
    this.#deposits = deposits
    this.#treasury = treasury
  }

  /** The treasury and the gas account have money. */
  static async open(world: ChainWorld): Promise<Till> {
    const found = await until(
      () => world.call((client) => client.get('/platform/internal-accounts?currency=USDC')),
      ({ body }) => addressOnChain(body.data?.[0]) !== undefined,
      60,
    )
    const [account] = found.body.data
    const { rows } = await world.database((db) =>
      db.query<{ role: string; address: `0x${string}` }>(`SELECT role, address FROM chain_addresses`),
    )
    const addressOf = (role: string) => rows.find((row) => row.role === role)!.address
    const till = new Till(world, account.id, addressOnChain(account)!, addressOf('TREASURY'))
    await world.setCoin(addressOf('GAS'), 10n ** 18n)
    await world.mint(addressOf('TREASURY'), FUNDS)
    till.#balance = FUNDS
    await till.#hasBalance()
    return till
  }

  /** A payout and a deposit at the same time. The servers are killed at a point of the work that they are. */
  async round(point: KillPoint | undefined): Promise<void> {
    const number = this.#paid.length
    const [sent, received] = [BigInt(10_000_000 + number), BigInt(5_000_000 + number)]
    const address = newAddress()
    const payee = await this.#world.newPayee(address)
    if (point) this.#world.killAt(point)
    const [amount] = await Promise.all([
      this.#payOut(payee, sent),
      this.#world.mint(this.#deposits, received),
    ])
    this.#paid.push({ address, amount })
    this.#balance += received - sent
    await this.#hasBalance()
    await this.#world.up()
  }

  /** Returns what the payee gets: the amount less the fee of the network. */
  async #payOut(payee: string, amount: bigint): Promise<bigint> {
    const world = this.#world
    const key = `payout-${this.#paid.length}`
    const transfer = {
      source: { accountId: this.#accountId },
      destination: { accountId: payee },
      amount: Number(amount),
    }
    const { status, body } = await world.call((client) =>
      client.post('/transfer-out', transfer, { 'Idempotency-Key': key }),
    )
    expect(status, JSON.stringify(body)).toBe(201)
    const settled = await until(
      () => world.call((client) => client.get(`/transactions/${body.id}`)),
      ({ body: transaction }) => ['COMPLETED', 'FAILED'].includes(transaction.status),
      90,
    )
    expect(settled.body).toMatchObject({ status: 'COMPLETED' })
    expect(settled.body.reconciliationInstructions.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    const received = BigInt(settled.body.receivedAmount.amount)
    expect(received).toBe(amount - BigInt(settled.body.fees))
    return received
  }

  async #hasBalance(): Promise<void> {
    await until(
      () => this.#world.call((client) => client.get(`/platform/internal-accounts?currency=USDC`)),
      ({ body }) => BigInt(body.data?.[0]?.balance?.amount ?? -1) === this.#balance,
      90,
    )
  }

  async expectPaidOnce(): Promise<void> {
    const transfers = await this.#world.transfers()
    for (const { address, amount } of this.#paid)
      expect(transfers.filter(({ to }) => to === address.toLowerCase())).toEqual([
        expect.objectContaining({ from: this.#treasury, amount }),
      ])
  }
}

function addressOnChain(account: Reply['body']): `0x${string}` | undefined {
  return account?.fundingPaymentInstructions?.find(
    ({ accountOrWalletInfo, instructionsNotes }: Reply['body']) =>
      accountOrWalletInfo.accountType === 'BASE_WALLET' && !instructionsNotes?.startsWith('Sandbox'),
  )?.accountOrWalletInfo.address
}

/** To the unit: the rail's account in the ledger, what was spent of the gas account, and the records of payments. */
async function expectBooksAreTheChain(world: ChainWorld): Promise<void> {
  const { rows } = await world.database((db) =>
    db.query<{ address: `0x${string}`; role: string }>(`SELECT address, role FROM chain_addresses`),
  )
  let tokens = 0n
  for (const { address } of rows) tokens += await world.chain.balanceOf(world.chain.token, address)
  const [books] = (
    await world.database((db) =>
      db.query<{ posted: bigint; cost: string; open: number }>(
        `SELECT (SELECT sum(posted) FROM ledger_accounts WHERE name = 'rail:base' AND currency = 'USDC')::bigint AS posted,
                (SELECT coalesce(sum(cost), 0) FROM chain_transactions WHERE state = 'DONE')::text AS cost,
                (SELECT count(*) FROM chain_payments WHERE state IN ('WAITING', 'SENT'))::int AS open`,
      ),
    )
  ).rows
  expect(books!.open).toBe(0)
  expect(books!.posted < 0n ? -books!.posted : books!.posted).toBe(tokens)
  const gas = rows.find(({ role }) => role === 'GAS')!.address
  expect(10n ** 18n - (await world.chain.coinOf(gas))).toBe(BigInt(books!.cost))
}
