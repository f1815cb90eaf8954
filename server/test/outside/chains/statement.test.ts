import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import {
  avoidMidnight,
  type BehindProxy,
  balanceOf,
  bothSides,
  chainAbsent,
  credited,
  DAY_SECONDS,
  followed,
  newHolder,
  openBehindProxy,
} from '../../worlds/chain/chain.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'

const SWEPT_FROM = 1_000_000

let on: BehindProxy

describe.skipIf(chainAbsent)('the statement of a chain', () => {
  beforeAll(async () => {
    on = await openBehindProxy({ entry: { sweeps: [{ currency: 'USDC', from: SWEPT_FROM }] } })
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000_000n)
  })
  afterAll(() => on?.close())

  test('agrees with the ledger after deposits, payouts and sweeps', async () => {
    await avoidMidnight(on)
    const { account, address } = await newHolder(on)
    await on.chain.transfer(1, address, 5_000_000n)
    await on.chain.transfer(1, address, 25n)
    await on.chain.mine(2)
    await credited(on, account.id, 2)
    await until(
      async () => {
        await on.chain.mine(1)
        return on.chain.balanceOf(on.chain.token, address)
      },
      (balance) => balance === 0n,
    )
    await payOut(2_000_000)
    const small = await newHolder(on)
    await on.chain.transfer(1, small.address, BigInt(SWEPT_FROM) - 1n)
    await on.chain.mine(4)
    await credited(on, small.account.id, 1)
    expect(await on.chain.balanceOf(on.chain.token, small.address)).toBe(BigInt(SWEPT_FROM) - 1n)
    const [ledger, chain] = await bothSides(on)
    expect(ledger).toBe(chain)
    const day = await endDay()
    const [found] = await reconcileDay(day)
    expect(found).toMatchObject({ status: 'BALANCED', closingBalance: String(chain) })
    const [listed] = (await on.client.get(`/reconciliations?rail=base`)).body.data
    expect(listed).toMatchObject({ date: day, status: 'BALANCED' })
  })

  test('shows a transfer whose log is missing as a difference of its amount', async () => {
    await avoidMidnight(on)
    const { customerId, address } = await newHolder(on)
    on.proxy.lie('eth_getLogs', 'no logs')
    await on.chain.transfer(1, address, 777n)
    await on.chain.mine(3)
    await followed(on)
    on.proxy.honest()
    expect(await balanceOf(on, customerId)).toBe(0n)
    const [ledger, chain] = await bothSides(on)
    expect(chain).toBe(ledger + 777n)
    const day = await endDay()
    const [found] = await reconcileDay(day)
    expect(found).toMatchObject({
      status: 'DIFFERENT',
      differences: [{ reason: 'BALANCE_GAP', amount: '777' }],
    })
  })

  test('is not available before the day has ended on the chain', async () => {
    const { timestamp } = await on.chain.block()
    const [found] = await reconcileDay(toDate(timestamp))
    expect(found.status).toBe('WAITING')
  })
})

/** Pays an external address from the platform's account. */
async function payOut(amount: number): Promise<void> {
  const external = await on.client.post('/customers/external-accounts', {
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address: on.chain.account(6).address },
  })
  const [account] = (await on.client.get('/platform/internal-accounts?currency=USDC')).body.data
  const out = await on.client.post('/transfer-out', {
    source: { accountId: account.id },
    destination: { accountId: external.body.id },
    amount,
  })
  await until(
    async () => {
      await on.chain.mine(1)
      return on.client.get(`/transactions/${out.body.id}`)
    },
    ({ body }) => body.status === 'COMPLETED',
  )
}

/**
 * Ends the day of the chain, and returns its date. The day before is reconciled first, because the treasury's
 * money is on its statement if midnight has passed since.
 */
async function endDay(): Promise<string> {
  await followed(on)
  const { timestamp } = await on.chain.block()
  await on.chain.rpc('evm_increaseTime', [Number(DAY_SECONDS)])
  await on.chain.mine(3)
  await followed(on)
  await reconcileDay(toDate(timestamp - DAY_SECONDS))
  return toDate(timestamp)
}

function toDate(timestamp: bigint): string {
  return new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)
}

async function reconcileDay(date: string): Promise<Reply['body'][]> {
  const args = ['reconciliation', 'run', '--rail', 'base', '--date', date]
  const { data } = (await runCommand(on.service.app, args, on.client.baseUrl)) as { data: Reply['body'][] }
  return data
}
