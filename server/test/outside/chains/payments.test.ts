import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  CONFIRMATIONS,
  chainAbsent,
  evmEntry,
  gasAddressOf,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { type LyingProxy, openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'

let on: OnChain
let payer: Payer
let proxy: LyingProxy

describe.skipIf(chainAbsent)('payments on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.setAutomine(false)
    payer = await Payer.open(on)
    proxy = await openLyingProxy(on.chain.url)
  })
  afterAll(async () => {
    await on?.close()
    await proxy?.close()
  })

  const token = () => on.chain.token
  const received = (payee: Hex) => on.chain.balanceOf(token(), payee)
  const hashOf = (transfer: { reconciliationInstructions?: { transactionHash?: string } }) =>
    transfer.reconciliationInstructions?.transactionHash

  /** The node behind the proxy, or the chain's own. */
  const use = (more: object) => on.setRail(evmEntry(on.chain, more))

  test('are delivered with their hash once they are confirmed, from accounts of the platform and of customers', {
    tags: 'smoke',
  }, async () => {
    for (const customer of [false, true]) {
      const payee = payer.newPayee()
      const transfer = await payer.pay(payee, 1_250_000n, customer)
      const [row] = await payer.sent([transfer])
      await on.chain.mine(CONFIRMATIONS - 1)
      await payer.transaction(transfer, ({ state }) => state === 'MINED')
      expect(await payer.stateOf(transfer)).toMatchObject({ status: 'PENDING' })
      await on.chain.mine()
      const done = await payer.ended(transfer)
      expect(done.status).toBe('COMPLETED')
      expect(hashOf(done)).toBe(row!.attempts[0]!.hash)
      expect(await received(payee)).toBe(1_250_000n)
      const { cost } = await payer.transaction(transfer, ({ state }) => state === 'DONE')
      expect(BigInt(cost!)).toBeGreaterThan(0n)
    }
  })

  test('that begin together have nonces without a gap, and are all in the next block', async () => {
    const payees = Array.from({ length: 50 }, () => payer.newPayee())
    const transfers = await Promise.all(payees.map((payee, n) => payer.pay(payee, BigInt(1000 + n))))
    const rows = await payer.sent(transfers)
    const nonces = rows.map(({ nonce }) => nonce).sort((a, b) => Number(a - b))
    expect(nonces).toEqual(nonces.map((_, n) => nonces[0]! + BigInt(n)))
    await on.chain.mine(CONFIRMATIONS)
    const done = await Promise.all(transfers.map((one) => payer.ended(one)))
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
    expect(new Set(done.map(hashOf)).size).toBe(50)
    expect(await Promise.all(payees.map(received))).toEqual(payees.map((_, n) => BigInt(1000 + n)))
  })

  test('that are stuck are replaced under the same nonce with higher fees, up to the limit', async () => {
    await use({ fees: { stuckSeconds: 1 } })
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 1000n)
    await payer.transaction(transfer, ({ attempts }) => attempts.length >= 3)
    const attempts = (await payer.sent([transfer]))[0]!.attempts
    for (const [index, one] of attempts.slice(1).entries()) {
      expect(8n * BigInt(one.maxFee)).toBeGreaterThanOrEqual(9n * BigInt(attempts[index]!.maxFee))
      expect(8n * BigInt(one.priorityFee)).toBeGreaterThanOrEqual(9n * BigInt(attempts[index]!.priorityFee))
    }
    // Just above its current fee: another raise does not fit.
    const limit = (BigInt(attempts.at(-1)!.maxFee) * 13n) / 10n
    await use({ fees: { stuckSeconds: 1, maxGwei: Number(limit) / 1e9 } })
    await payer.alerted('fee-limit')
    await on.chain.mine(CONFIRMATIONS)
    const done = await payer.ended(transfer)
    const { attempts: all } = await payer.transaction(transfer, ({ state }) => state === 'DONE')
    for (const { maxFee } of all) expect(BigInt(maxFee)).toBeLessThanOrEqual(limit)
    expect(all.map(({ hash }) => hash)).toContain(hashOf(done))
    expect(await received(payee)).toBe(1000n)
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    await use({})
  })

  test('with a lost response of the node are on the chain once', async () => {
    await use({ rpcs: [{ type: 'url', url: proxy.url }] })
    proxy.lie('eth_sendRawTransaction', 'answer lost', 2)
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 2000n)
    await payer.sent([transfer])
    await until(
      async () => proxy.calls('eth_sendRawTransaction').length,
      (calls) => calls >= 3,
    )
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await received(payee)).toBe(2000n)
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    await use({})
  })

  test('that somebody else has relayed first are delivered once, with the hash of that transaction', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 3000n)
    await payer.sent([transfer])
    const theirs = await payer.relayFrom(1, (await payer.paymentOf(transfer))!)
    await on.chain.mine(CONFIRMATIONS)
    const done = await payer.ended(transfer)
    expect(done.status).toBe('COMPLETED')
    expect(hashOf(done)).toBe(theirs)
    expect(await received(payee)).toBe(3000n)
    expect(await payer.transactionsOf(transfer)).toMatchObject([{ state: 'DONE', succeeded: false }])
  })

  test('that the token refuses are never sent: they fail and are refunded', async () => {
    const payee = payer.newPayee()
    await on.chain.freeze(payee)
    await on.chain.mine()
    const before = await payer.balance()
    const transfer = await payer.pay(payee, 4000n)
    const done = await payer.ended(transfer)
    expect(done).toMatchObject({ status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' })
    expect(await payer.balance()).toBe(before)
    expect(await payer.transactionsOf(transfer)).toEqual([])
  })

  test('that were sent and reverted fail only when their authorization has expired', async () => {
    const payee = payer.newPayee()
    const before = await payer.balance()
    const transfer = await payer.pay(payee, 5000n)
    await payer.sent([transfer])
    await on.chain.rpc('anvil_dropAllTransactions')
    await on.chain.freeze(payee)
    await on.chain.mine()
    // The node receives it again, after a block with the freeze.
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    const waiting = await payer.payment(
      transfer,
      ({ state, note }) => state === 'WAITING' && /refuses/.test(note!),
    )
    expect((await payer.stateOf(transfer)).status).toBe('PENDING')
    const { timestamp } = await on.chain.block()
    await on.chain.mine(CONFIRMATIONS + 1, Number(waiting.valid_before! - timestamp))
    expect((await payer.ended(transfer)).status).toBe('FAILED')
    expect(await payer.balance()).toBe(before)
    expect(await received(payee)).toBe(0n)
  })

  test('wait while the treasury or the gas account is empty, and are sent when it has money', async () => {
    const gas = gasAddressOf(on.service, on.rail())
    const coin = await on.chain.coinOf(gas)
    await on.chain.setCoin(gas, 1n)
    const payee = payer.newPayee()
    const small = await payer.pay(payee, 6000n)
    await payer.payment(small, ({ note }) => /coin/.test(note ?? ''))
    await payer.alerted('gas')
    await on.chain.setCoin(gas, coin)
    const treasury = await on.chain.balanceOf(token(), on.rail().chain.treasury)
    const other = payer.newPayee()
    const large = await payer.pay(other, treasury + 1n)
    await payer.payment(large, ({ note }) => /treasury/.test(note ?? ''))
    await payer.alerted('treasury')
    // Covered payments do not wait for uncovered ones.
    await payer.sent([small])
    await on.chain.mint(on.rail().chain.treasury, 6001n)
    await on.chain.mine(CONFIRMATIONS)
    await payer.sent([large])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(small)).status).toBe('COMPLETED')
    expect((await payer.ended(large)).status).toBe('COMPLETED')
    expect(await received(payee)).toBe(6000n)
    expect(await received(other)).toBe(treasury + 1n)
    expect(await received(on.rail().chain.treasury)).toBe(0n)
    await on.chain.mint(on.rail().chain.treasury, 10n ** 12n)
    await on.chain.mine()
  })

  test('that a reorganization drops are sent again, once', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 7000n)
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS - 1)
    const mined = await payer.transaction(transfer, ({ state }) => state === 'MINED')
    await on.chain.reorg(CONFIRMATIONS - 1)
    await on.chain.rpc('anvil_dropAllTransactions')
    expect(await received(payee)).toBe(0n)
    await payer.transaction(transfer, ({ state }) => state === 'OPEN')
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    const [again, ...others] = await payer.transactionsOf(transfer)
    expect(others).toEqual([])
    expect(again!.block_hash).not.toBe(mined.block_hash)
    expect(await received(payee)).toBe(7000n)
  })

  test('whose nonce another holder of the key has used are relayed again with the next one', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 8000n)
    const [row] = await payer.sent([transfer])
    await payer.useNonce(row!)
    await on.chain.mine(CONFIRMATIONS)
    const [first, second] = await until(
      () => payer.transactionsOf(transfer),
      (rows) => rows.length === 2,
      60,
    )
    expect(first).toMatchObject({ state: 'DONE', transaction_hash: null, succeeded: false })
    expect(second!.nonce).toBe(first!.nonce + 1n)
    await payer.alerted('work')
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await received(payee)).toBe(8000n)
  })

  test('are neither delivered nor sent again while a node hides their blocks', async () => {
    await use({ rpcs: [{ type: 'url', url: proxy.url }] })
    proxy.lie('eth_getTransactionReceipt', 'null')
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 9000n)
    await payer.sent([transfer])
    const asked = proxy.calls('eth_getTransactionReceipt').length
    await on.chain.mine(CONFIRMATIONS)
    await until(
      async () => proxy.calls('eth_getTransactionReceipt').length,
      (calls) => calls > asked,
    )
    expect((await payer.stateOf(transfer)).status).toBe('PENDING')
    proxy.honest()
    await on.chain.mine()
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    expect(await received(payee)).toBe(9000n)
    await use({})
  })

  test('are distributed among the gas accounts that have coin', async () => {
    await use({ gasAccounts: 3 })
    // The server's current work at the chain continues with the previous accounts: this payment may still use
    // them.
    await payer.sent([await payer.pay(payer.newPayee(), 10n)])
    // The previous payments have used up the first account's balance, at the base fee.
    const rich = on.rail().gas.slice(0, 2)
    for (const account of rich) await on.chain.setCoin(account, 10n ** 20n)
    const payees = Array.from({ length: 8 }, () => payer.newPayee())
    const transfers = await Promise.all(payees.map((payee) => payer.pay(payee, 10n)))
    const rows = await payer.sent(transfers)
    expect(new Set(rows.map(({ sender }) => sender))).toEqual(new Set(rich))
    await on.chain.mine(CONFIRMATIONS)
    for (const transfer of transfers) expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await Promise.all(payees.map(received))).toEqual(payees.map(() => 10n))
    await use({})
  })
})
