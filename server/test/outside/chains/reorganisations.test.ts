import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  balanceOf,
  bothSides,
  chainAbsent,
  countAlerts,
  credited,
  followed,
  NETWORK_FEE,
  newHolder,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'

let on: OnChain

describe.skipIf(chainAbsent)('a reorganization', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.mint(on.chain.account(1).address, 1_000_000_000_000n)
    await on.chain.mine(3)
    await followed(on)
  })
  afterAll(() => on?.close())

  test('that is shallower than the confirmations changes nothing', async () => {
    const { customerId, account, address } = await newHolder(on)
    const hash = await on.chain.transfer(1, address, 500n)
    const raw = await readRawTransaction(hash)
    await on.chain.mine(1)
    await followed(on)
    await on.chain.reorg(2)
    await on.chain.mine(4)
    await followed(on)
    expect(await balanceOf(on, customerId)).toBe(0n)
    await on.chain.rpc('eth_sendRawTransaction', [raw])
    await on.chain.mine(3)
    expect(await credited(on, account.id, 1)).toHaveLength(1)
    expect(await balanceOf(on, customerId)).toBe(500n)
    expect(await countAlerts(on, 'reorganisation')).toBe(0)
  })

  test('that moves a credited transfer to another block leaves it credited once', async () => {
    const { customerId, account, address } = await newHolder(on)
    const raw = await readRawTransaction(await on.chain.transfer(1, address, 700n))
    await on.chain.mine(4)
    const [deposit] = await credited(on, account.id, 1)
    const before = await countAlerts(on, 'reorganisation')
    await on.chain.reorg(5, [[raw, 2]])
    await on.chain.mine(3)
    await waitForSettledMovements()
    expect(await countAlerts(on, 'reorganisation')).toBe(before + 1)
    expect((await credited(on, account.id, 1)).map(({ id, status }) => [id, status])).toEqual([
      [deposit.id, 'CREDITED'],
    ])
    expect(await balanceOf(on, customerId)).toBe(700n)
  })

  test('that removes a deposit debits its account and reports it, and the deposit is credited again when it returns', async () => {
    const { customerId, account, address } = await newHolder(on)
    const raw = await readRawTransaction(await on.chain.transfer(1, address, 900n))
    await on.chain.mine(4)
    const [deposit] = await credited(on, account.id, 1)
    await on.chain.reorg(5)
    await on.chain.mine(3)
    await until(
      () => on.client.get(`/deposits/${deposit.id}`),
      ({ body }) => body.status === 'REVERSED',
    )
    expect(await balanceOf(on, customerId)).toBe(0n)
    const reports = (await on.client.get('/rail-events?status=WAITING')).body.data
    expect(reports.map(({ type, reason }: Reply['body']) => [type, reason])).toContainEqual([
      'chain.reorganised',
      'CONTRADICTION',
    ])
    await expectBooksMatchChain()
    await on.chain.rpc('eth_sendRawTransaction', [raw])
    await on.chain.mine(3)
    const deposits = await credited(on, account.id, 2)
    expect(deposits.map(({ status }) => status).sort()).toEqual(['CREDITED', 'REVERSED'])
    expect(await balanceOf(on, customerId)).toBe(900n)
    await expectBooksMatchChain()
  })

  test('that removes a spent deposit leaves a debt', async () => {
    const { customerId, account, address } = await newHolder(on)
    const receivablesBefore = await readReceivables()
    await on.chain.transfer(1, address, 1_000n)
    await on.chain.mine(4)
    const [deposit] = await credited(on, account.id, 1)
    const otherHolder = await newHolder(on)
    const quote = await on.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: account.id },
      destination: { destinationType: 'ACCOUNT', accountId: otherHolder.account.id },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 600,
      immediatelyExecute: true,
    })
    expect(quote.status).toBe(201)
    const balanceLeft = await until(
      () => balanceOf(on, customerId),
      (balance) => balance < 1_000n,
    )
    await on.chain.reorg(5)
    await on.chain.mine(3)
    await until(
      () => on.client.get(`/deposits/${deposit.id}`),
      ({ body }) => body.status === 'REVERSED',
    )
    expect(await balanceOf(on, customerId)).toBe(0n)
    expect(await readReceivables()).toBe(receivablesBefore + 1_000n - balanceLeft)
    await expectBooksMatchChain()
  })

  test('that removes a payment causes it to be sent again, once', async () => {
    const payee = on.chain.account(5).address
    const external = await on.client.post('/customers/external-accounts', {
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address: payee },
    })
    const [account] = (await on.client.get('/platform/internal-accounts?currency=USDC')).body.data
    const payment = await on.client.post('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: external.body.id },
      amount: 123_000,
    })
    expect(payment.status).toBe(201)
    const done = await until(
      async () => {
        await on.chain.mine(1)
        return on.client.get(`/transactions/${payment.body.id}`)
      },
      ({ body }) => body.status === 'COMPLETED',
    )
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(123_000n - NETWORK_FEE)
    const { transactionHash } = done.body.reconciliationInstructions
    const receipt = (await on.chain.rpc('eth_getTransactionReceipt', [transactionHash])) as {
      blockNumber: Hex
    }
    const { number } = await on.chain.block()
    await on.chain.reorg(Number(number - BigInt(receipt.blockNumber)) + 1)
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(0n)
    await until(
      async () => {
        await on.chain.mine(1)
        return on.chain.balanceOf(on.chain.token, payee)
      },
      (balance) => balance > 0n,
      60,
    )
    await on.chain.mine(10)
    await waitForSettledMovements()
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(123_000n - NETWORK_FEE)
    expect((await on.client.get(`/transactions/${payment.body.id}`)).body.status).toBe('COMPLETED')
    await expectBooksMatchChain()
  })
})

/** Reads the signed bytes of a transaction. */
async function readRawTransaction(hash: Hex): Promise<Hex> {
  return (await on.chain.rpc('eth_getRawTransactionByHash', [hash])) as Hex
}

/** Waits until the server has followed the chain and is sure about every movement. */
async function waitForSettledMovements(): Promise<void> {
  await followed(on)
  await until(
    () => on.service.app.read.selectFrom('chains').selectAll().executeTakeFirstOrThrow(),
    (row) => row.followed_block >= row.highest_block,
  )
  await until(
    () =>
      on.service.app.read.selectFrom('chain_movements').where('state', '=', 'UNSURE').selectAll().execute(),
    (rows) => rows.length === 0,
  )
}

/** Expects the same total in the ledger as on the chain. */
async function expectBooksMatchChain(): Promise<void> {
  await waitForSettledMovements()
  const [ledger, chain] = await bothSides(on)
  expect(ledger).toBe(chain)
}

async function readReceivables(): Promise<bigint> {
  const { rows } = await on.service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = 'receivables' AND currency = 'USDC'",
  )
  return BigInt(rows[0]?.posted ?? 0)
}
