import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { chainAbsent } from '../chain.testing.ts'
import type { Reply } from '../client.testing.ts'
import { until } from '../production.testing.ts'
import { ensureServerBuilt, PROCESS_TEST_MS } from '../server-process.testing.ts'
import { ChainWorld, type KillPoint, MOMENTS } from './chain-world.testing.ts'
import { isFull, seededRandom } from './random.testing.ts'

vi.setConfig({ testTimeout: 3 * PROCESS_TEST_MS })
beforeAll(ensureServerBuilt)

/** Kills on each run; the full size has every place in the work. */
const KILLS = 3
const FUNDS = 1_000_000_000n

describe.skipIf(chainAbsent)('a server on a chain', () => {
  test('killed at any step of a payout or a deposit pays once and credits once, and the books are the chain', async () => {
    const random = seededRandom()
    const world = await ChainWorld.open(random)
    const atChain = (account: Reply['body']) =>
      account?.fundingPaymentInstructions?.find(
        ({ accountOrWalletInfo, instructionsNotes }: Reply['body']) =>
          accountOrWalletInfo.accountType === 'BASE_WALLET' && !instructionsNotes?.startsWith('Sandbox'),
      )?.accountOrWalletInfo.address
    const account = await until(
      () => world.call((client) => client.get('/platform/internal-accounts?currency=USDC')),
      ({ body }) => atChain(body.data?.[0]) !== undefined,
      60,
    )
    const { id } = account.body.data[0]
    const deposits = atChain(account.body.data[0])
    const found = await world.database((db) =>
      db.query<{ role: string; address: `0x${string}` }>(`SELECT role, address FROM chain_addresses`),
    )
    const addressOf = (role: string) => found.rows.find((row) => row.role === role)!.address
    await world.chain.setCoin(addressOf('GAS'), 10n ** 18n)
    await world.mint(addressOf('TREASURY'), FUNDS)
    const balanceIs = (amount: bigint) =>
      until(
        () => world.call((client) => client.get(`/platform/internal-accounts?currency=USDC`)),
        ({ body }) => BigInt(body.data?.[0]?.balance?.amount ?? -1) === amount,
        90,
      )
    await balanceIs(FUNDS)
    let balance = FUNDS
    const paid: { readonly address: string; readonly amount: bigint }[] = []

    const payOut = async (point: KillPoint | undefined) => {
      const address = privateKeyToAddress(generatePrivateKey())
      const amount = BigInt(1_000_000 + paid.length)
      const payee = await world.newPayee(address)
      const key = `payout-${paid.length}`
      if (point) world.killAt(point)
      const { status, body } = await world.call((client) =>
        client.post(
          '/transfer-out',
          { source: { accountId: id }, destination: { accountId: payee }, amount: Number(amount) },
          { 'Idempotency-Key': key },
        ),
      )
      expect(status, JSON.stringify(body)).toBe(201)
      paid.push({ address, amount })
      const settled = await until(
        () => world.call((client) => client.get(`/transactions/${body.id}`)),
        ({ body: transaction }) => ['COMPLETED', 'FAILED'].includes(transaction.status),
        90,
      )
      expect(settled.body).toMatchObject({ status: 'COMPLETED' })
      expect(settled.body.reconciliationInstructions.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
      balance -= amount
      await world.up()
    }
    const payIn = async (point: KillPoint | undefined) => {
      const amount = BigInt(5_000_000 + paid.length)
      if (point) world.killAt(point)
      await world.mint(deposits, amount)
      balance += amount
      await balanceIs(balance)
      await world.up()
    }

    // What the node is asked for by itself tells the places in the work.
    const before = world.proxy.calls().length
    await payOut(undefined)
    await payIn(undefined)
    const methods = [
      ...new Set(
        world.proxy
          .calls()
          .slice(before)
          .map(({ method }) => method),
      ),
    ]
    expect(methods).toEqual(expect.arrayContaining(['eth_sendRawTransaction', 'eth_getLogs']))
    const all = methods.flatMap((method) => MOMENTS.map((moment) => ({ method, moment })))
    const sent = all.filter(({ method }) => method === 'eth_sendRawTransaction')
    const points = isFull
      ? all
      : [...Array.from({ length: KILLS - 1 }, () => random.pick(all)), random.pick(sent)]
    for (const point of points) {
      await payOut(point)
      if (point.method !== 'eth_sendRawTransaction') await payIn(random.chance(0.5) ? point : undefined)
    }
    // A call that a step does not make every time may not come. Sending does.
    const killsMin = Math.ceil(points.length / 2)
    for (let more = 0; world.kills < killsMin && more < KILLS; more++) await payOut(random.pick(sent))
    expect(world.kills).toBeGreaterThanOrEqual(killsMin)

    await balanceIs(balance)
    await world.quiet()
    const transfers = await world.transfers()
    for (const { address, amount } of paid)
      expect(transfers.filter(({ to }) => to === address.toLowerCase())).toEqual([
        expect.objectContaining({ from: addressOf('TREASURY'), amount }),
      ])
    await world.stopServers()
    await expectBooksAreTheChain(world)
  })
})

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
