import { expect } from 'vitest'
import { newAddress } from '../worlds/chain/holder.testing.ts'
import { type Reply, until } from '../worlds/client.testing.ts'
import { ChainWorld, type KillPoint } from './chain-world.testing.ts'
import { isFull, type Random, seededRandom } from './faults.testing.ts'

/** The number of kills in one test. At the full size, a kill happens at every method. */
const KILLS = 2
const FUNDS = 1_000_000_000n
const SENDING = 'eth_sendRawTransaction'

/**
 * Kills the servers of a chain at one moment of their calls to its node, while they pay out and are paid. Checks that
 * each payout is on the chain once, each deposit is credited once, and the books match the chain.
 */
export async function killAtEveryCall(moment: KillPoint['moment']): Promise<void> {
  const random = seededRandom()
  const world = await ChainWorld.open(random)
  const drill = await PaymentDrill.open(world)
  const methods = await recordMethods(world, () => drill.runRound(undefined))
  expect(methods).toEqual(expect.arrayContaining([SENDING, 'eth_getLogs']))
  const points = selectKillPoints(methods, moment, random)
  for (const point of points) await drill.runRound(point)
  // Some calls are not made in every round, so their kill may not happen. Sending is made in every round.
  const killsMin = Math.ceil(points.length / 2)
  for (let extra = 0; world.kills < killsMin && extra < points.length; extra++)
    await drill.runRound({ method: SENDING, moment })
  expect(world.kills).toBeGreaterThanOrEqual(killsMin)
  await world.waitUntilQuiet()
  await drill.expectPaidOnce()
  await world.stopServers()
  await expectBooksMatchChain(world)
}

/** Lists the methods that the servers call at the node while `work` runs. */
async function recordMethods(world: ChainWorld, work: () => Promise<void>): Promise<readonly string[]> {
  const before = world.proxy.calls().length
  await work()
  const calls = world.proxy.calls().slice(before)
  return [...new Set(calls.map(({ method }) => method))]
}

function selectKillPoints(
  methods: readonly string[],
  moment: KillPoint['moment'],
  random: Random,
): KillPoint[] {
  const allPoints = methods.map((method) => ({ method, moment }))
  if (isFull) return allPoints
  return [...Array.from({ length: KILLS - 1 }, () => random.pick(allPoints)), { method: SENDING, moment }]
}

/** Pays out from a platform's account on the chain, and pays in to it. */
class PaymentDrill {
  readonly #world: ChainWorld
  readonly #accountId: string
  readonly #depositAddress: `0x${string}`
  readonly #treasury: string
  readonly #payouts: { readonly address: string; readonly amount: bigint }[] = []
  #balance = 0n

  private constructor(world: ChainWorld, accountId: string, depositAddress: `0x${string}`, treasury: string) {
    this.#world = world
    this.#accountId = accountId
    this.#depositAddress = depositAddress
    this.#treasury = treasury
  }

  /** Gives the treasury and the gas account money. */
  static async open(world: ChainWorld): Promise<PaymentDrill> {
    const accounts = await until(
      () => world.call((client) => client.get('/platform/internal-accounts?currency=USDC')),
      ({ body }) => findChainAddress(body.data?.[0]) !== undefined,
      60,
    )
    const [account] = accounts.body.data
    const { rows } = await world.readDatabase((db) =>
      db.query<{ role: string; address: `0x${string}` }>(`SELECT role, address FROM chain_addresses`),
    )
    const findAddress = (role: string) => rows.find((row) => row.role === role)!.address
    const drill = new PaymentDrill(world, account.id, findChainAddress(account)!, findAddress('TREASURY'))
    await world.setCoin(findAddress('GAS'), 10n ** 18n)
    await world.mint(findAddress('TREASURY'), FUNDS)
    drill.#balance = FUNDS
    await drill.#waitForBalance()
    return drill
  }

  /** Makes a payout and a deposit in parallel. The servers are killed at `point`. */
  async runRound(point: KillPoint | undefined): Promise<void> {
    const number = this.#payouts.length
    const [payoutAmount, depositAmount] = [BigInt(10_000_000 + number), BigInt(5_000_000 + number)]
    const address = newAddress()
    const payee = await this.#world.newPayee(address)
    if (point) this.#world.killAt(point)
    const [amount] = await Promise.all([
      this.#payOut(payee, payoutAmount),
      this.#world.mint(this.#depositAddress, depositAmount),
    ])
    this.#payouts.push({ address, amount })
    this.#balance += depositAmount - payoutAmount
    await this.#waitForBalance()
    await this.#world.waitUntilUp()
  }

  /** Returns the amount that the payee receives: the amount without the network fee. */
  async #payOut(payee: string, amount: bigint): Promise<bigint> {
    const world = this.#world
    const key = `payout-${this.#payouts.length}`
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

  async #waitForBalance(): Promise<void> {
    await until(
      () => this.#world.call((client) => client.get(`/platform/internal-accounts?currency=USDC`)),
      ({ body }) => BigInt(body.data?.[0]?.balance?.amount ?? -1) === this.#balance,
      90,
    )
  }

  async expectPaidOnce(): Promise<void> {
    const transfers = await this.#world.listTransfers()
    for (const { address, amount } of this.#payouts)
      expect(transfers.filter(({ to }) => to === address.toLowerCase())).toEqual([
        expect.objectContaining({ from: this.#treasury, amount }),
      ])
  }
}

function findChainAddress(account: Reply['body']): `0x${string}` | undefined {
  return account?.fundingPaymentInstructions?.find(
    ({ accountOrWalletInfo, instructionsNotes }: Reply['body']) =>
      accountOrWalletInfo.accountType === 'BASE_WALLET' && !instructionsNotes?.startsWith('Sandbox'),
  )?.accountOrWalletInfo.address
}

/** Compares the rail's ledger account, the gas costs and the payment records with the chain, to the unit. */
async function expectBooksMatchChain(world: ChainWorld): Promise<void> {
  const { rows } = await world.readDatabase((db) =>
    db.query<{ address: `0x${string}`; role: string }>(`SELECT address, role FROM chain_addresses`),
  )
  let tokens = 0n
  for (const { address } of rows) tokens += await world.chain.balanceOf(world.chain.token, address)
  const [books] = (
    await world.readDatabase((db) =>
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
