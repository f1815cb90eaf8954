import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildEvmEntry,
  CONFIRMATIONS,
  chainAbsent,
  countAlerts,
  type OnChain,
  openChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { KEYS } from '../../worlds/records/treasury.testing.ts'

let on: OnChain
let payer: Payer

const buildPlainEntry = (chain: OnChain['chain'], more: object = {}) => ({
  tokens: [{ currency: 'USDC', address: chain.plainToken, standard: 'ERC20' }],
  ...more,
})

describe.skipIf(chainAbsent)('payments of a token without signed transfers', () => {
  beforeAll(async () => {
    const chain = await openChain()
    on = await openOnChain({ chain, entry: buildPlainEntry(chain) })
    await chain.setAutomine(false)
    payer = await Payer.open(on)
  })
  afterAll(async () => {
    await on?.close()
    await on?.chain.close()
  })

  const readBalance = (payee: `0x${string}`) => on.chain.balanceOf(on.chain.plainToken, payee)

  test('wait for coin in the treasury, and are sent from it with one nonce each', async () => {
    const payees = Array.from({ length: 5 }, () => payer.newPayee())
    const transfers = await Promise.all(payees.map((payee) => payer.pay(payee, 1000n)))
    await payer.payment(transfers[0]!, ({ note }) => /coin/.test(note ?? ''))
    await payer.alerted('gas')
    await on.chain.setCoin(on.rail().chain.treasury, 10n ** 20n)
    const rows = await payer.sent(transfers)
    expect(rows.map(({ nonce }) => nonce).sort()).toEqual([0n, 1n, 2n, 3n, 4n])
    await on.chain.mine(CONFIRMATIONS)
    for (const [index, transfer] of transfers.entries()) {
      const done = await payer.ended(transfer)
      expect(done.status).toBe('COMPLETED')
      expect(done.reconciliationInstructions.transactionHash).toBe(rows[index]!.attempts[0]!.hash)
      expect(await readBalance(payees[index]!)).toBe(1000n)
    }
  })

  test('are replaced if they are stuck, and only one version is ever on the chain', async () => {
    await on.setRail(buildEvmEntry(on.chain, buildPlainEntry(on.chain, { fees: { stuckSeconds: 1 } })))
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 2000n)
    await payer.transaction(transfer, ({ attempts }) => attempts.length >= 3)
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    const [row, ...others] = await payer.transactionsOf(transfer)
    expect(others).toEqual([])
    // The node accepts no version of the transaction any more.
    for (const { raw } of row!.attempts)
      await expect(on.chain.rpc('eth_sendRawTransaction', [raw])).rejects.toThrow()
    await on.chain.mine()
    expect(await readBalance(payee)).toBe(2000n)
    await on.setRail(buildEvmEntry(on.chain, buildPlainEntry(on.chain)))
  })

  test('are sent again, once, if a reorganization drops them', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 3000n)
    await payer.sent([transfer])
    await on.chain.mine(1)
    await payer.transaction(transfer, ({ state }) => state === 'MINED')
    await on.chain.reorg(1)
    await on.chain.rpc('anvil_dropAllTransactions')
    await payer.transaction(transfer, ({ state }) => state === 'OPEN')
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await readBalance(payee)).toBe(3000n)
  })

  test('fail if they are reverted, because no signed version can take effect any more', async () => {
    const payee = payer.newPayee()
    const before = await payer.balance()
    const transfer = await payer.pay(payee, 4000n)
    await payer.sent([transfer])
    await on.chain.rpc('anvil_dropAllTransactions')
    await on.chain.freeze(payee, on.chain.plainToken)
    await on.chain.mine()
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('FAILED')
    expect(await payer.transactionsOf(transfer)).toMatchObject([{ state: 'DONE', succeeded: false }])
    expect(await payer.balance()).toBe(before)
    expect(await readBalance(payee)).toBe(0n)
  })

  test('wait for a person and are not sent again if they moved another amount', async () => {
    const proxy = await openLyingProxy(on.chain.url)
    // Fakes the receipt of a token that deducts a fee from transfers.
    proxy.lie('eth_getTransactionReceipt', async (_, truth) => {
      const response = await truth()
      if (!('result' in response) || response.result === null) return response
      const receipt = response.result as { logs: object[] }
      const data = `0x${(4499).toString(16).padStart(64, '0')}`
      return { result: { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data })) } }
    })
    try {
      await on.setRail(
        buildEvmEntry(on.chain, buildPlainEntry(on.chain, { rpcs: [{ type: 'url', url: proxy.url }] })),
      )
      const payee = payer.newPayee()
      const before = await countAlerts(on, 'work')
      const transfer = await payer.pay(payee, 4500n)
      await payer.sent([transfer])
      await on.chain.mine(CONFIRMATIONS)
      await until(
        () => countAlerts(on, 'work'),
        (count) => count > before,
      )
      expect(await payer.paymentOf(transfer)).toMatchObject({ state: 'SENT', attempts: 1 })
      expect(await payer.transactionsOf(transfer)).toMatchObject([{ state: 'MINED' }])
      proxy.honest()
      await on.chain.mine()
      expect((await payer.ended(transfer)).status).toBe('COMPLETED')
      expect(await readBalance(payee)).toBe(4500n)
    } finally {
      await on.setRail(buildEvmEntry(on.chain, buildPlainEntry(on.chain)))
      await proxy.close()
    }
  })

  test('whose nonce was used elsewhere wait for a person if only one node reports it, and are sent again if two do', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 5000n)
    const [row] = await payer.sent([transfer])
    await payer.useNonce(row!)
    await on.chain.mine(CONFIRMATIONS)
    await payer.alerted('work')
    await on.chain.mine()
    expect(await payer.transactionsOf(transfer)).toMatchObject([{ state: 'OPEN' }])
    const rpcs = ['one', 'other'].map((key) => ({ type: 'url', url: `${on.chain.url}?key=${key}` }))
    await on.setRail(buildEvmEntry(on.chain, buildPlainEntry(on.chain, { agreement: 2, rpcs })))
    await payer.payment(transfer, ({ attempts }) => attempts === 2)
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await readBalance(payee)).toBe(5000n)
  })

  test('to a retired address of the treasury are forwarded with the coin that it has kept', async () => {
    const oldAddress = on.rail().chain.treasury
    const readCoin = async () => BigInt(String(await on.chain.rpc('eth_getBalance', [oldAddress, 'latest'])))
    const waitForEmpty = () =>
      until(
        async () => {
          await on.chain.mine(1)
          return readBalance(oldAddress)
        },
        (left) => left === 0n,
      )
    const before = await readCoin()
    const { body } = await on.client.post(KEYS, { rail: 'base', reason: 'A year is over' })
    await waitForEmpty()
    await until(
      async () => {
        await on.chain.mine(1)
        return readCoin()
      },
      (left) => left < before / 10n,
    )
    await on.chain.mint(oldAddress, 6000n, on.chain.plainToken)
    await waitForEmpty()
    const nextAddress: string = body.address.toLowerCase()
    expect(on.rail().chain.treasury).toBe(nextAddress)
    const moved = BigInt(String(await on.chain.rpc('eth_getBalance', [nextAddress, 'latest'])))
    expect(moved + (await readCoin())).toBeGreaterThan(before - before / 100n)
    const payee = payer.newPayee()
    await payer.sent([await payer.pay(payee, 7000n)])
    await on.chain.mine(CONFIRMATIONS)
    expect(await readBalance(payee)).toBe(7000n)
  })
})
