import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  buildEvmEntry,
  CONFIRMATIONS,
  chainAbsent,
  findGasAddress,
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

  const findTokenAddress = () => on.chain.token
  const readBalance = (payee: Hex) => on.chain.balanceOf(findTokenAddress(), payee)
  const readHash = (transfer: { reconciliationInstructions?: { transactionHash?: string } }) =>
    transfer.reconciliationInstructions?.transactionHash

  /** Configures the rail, for example with the node behind the proxy. */
  const setEntry = (more: object) => on.setRail(buildEvmEntry(on.chain, more))

  test('complete with their hash once they are confirmed, from accounts of the platform and of customers', {
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
      expect(readHash(done)).toBe(row!.attempts[0]!.hash)
      expect(await readBalance(payee)).toBe(1_250_000n)
      const { cost } = await payer.transaction(transfer, ({ state }) => state === 'DONE')
      expect(BigInt(cost!)).toBeGreaterThan(0n)
    }
  })

  test('that start together have nonces without a gap, and are all in the next block', async () => {
    const payees = Array.from({ length: 50 }, () => payer.newPayee())
    const transfers = await Promise.all(payees.map((payee, n) => payer.pay(payee, BigInt(1000 + n))))
    const rows = await payer.sent(transfers)
    const nonces = rows.map(({ nonce }) => nonce).sort((a, b) => Number(a - b))
    expect(nonces).toEqual(nonces.map((_, n) => nonces[0]! + BigInt(n)))
    await on.chain.mine(CONFIRMATIONS)
    const done = await Promise.all(transfers.map((transfer) => payer.ended(transfer)))
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
    expect(new Set(done.map(readHash)).size).toBe(50)
    expect(await Promise.all(payees.map(readBalance))).toEqual(payees.map((_, n) => BigInt(1000 + n)))
  })

  test('are replaced with the same nonce and higher fees if they are stuck, up to the limit', async () => {
    await setEntry({ fees: { stuckSeconds: 1 } })
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 1000n)
    await payer.transaction(transfer, ({ attempts }) => attempts.length >= 3)
    const attempts = (await payer.sent([transfer]))[0]!.attempts
    for (const [index, attempt] of attempts.slice(1).entries()) {
      expect(8n * BigInt(attempt.maxFee)).toBeGreaterThanOrEqual(9n * BigInt(attempts[index]!.maxFee))
      expect(8n * BigInt(attempt.priorityFee)).toBeGreaterThanOrEqual(
        9n * BigInt(attempts[index]!.priorityFee),
      )
    }
    // Just above the current fee, so that another raise does not fit.
    const limit = (BigInt(attempts.at(-1)!.maxFee) * 13n) / 10n
    await setEntry({ fees: { stuckSeconds: 1, maxGwei: Number(limit) / 1e9 } })
    await payer.alerted('fee-limit')
    await on.chain.mine(CONFIRMATIONS)
    const done = await payer.ended(transfer)
    const { attempts: finalAttempts } = await payer.transaction(transfer, ({ state }) => state === 'DONE')
    for (const { maxFee } of finalAttempts) expect(BigInt(maxFee)).toBeLessThanOrEqual(limit)
    expect(finalAttempts.map(({ hash }) => hash)).toContain(readHash(done))
    expect(await readBalance(payee)).toBe(1000n)
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    await setEntry({})
  })

  test('are on the chain once even if the response of the node is lost', async () => {
    await setEntry({ rpcs: [{ type: 'url', url: proxy.url }] })
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
    expect(await readBalance(payee)).toBe(2000n)
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    await setEntry({})
  })

  test('that somebody else relays first are delivered once, with the hash of that transaction', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 3000n)
    await payer.sent([transfer])
    const relayedHash = await payer.relayFrom(1, (await payer.paymentOf(transfer))!)
    await on.chain.mine(CONFIRMATIONS)
    const done = await payer.ended(transfer)
    expect(done.status).toBe('COMPLETED')
    expect(readHash(done)).toBe(relayedHash)
    expect(await readBalance(payee)).toBe(3000n)
    expect(await payer.transactionsOf(transfer)).toMatchObject([{ state: 'DONE', succeeded: false }])
  })

  test('fail and are refunded without being sent if the token refuses them', async () => {
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

  test('that are reverted fail only when their authorization has expired', async () => {
    const payee = payer.newPayee()
    const before = await payer.balance()
    const transfer = await payer.pay(payee, 5000n)
    await payer.sent([transfer])
    await on.chain.rpc('anvil_dropAllTransactions')
    await on.chain.freeze(payee)
    await on.chain.mine()
    // The payment is sent to the node again, after a block with the freeze.
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
    expect(await readBalance(payee)).toBe(0n)
  })

  test('wait while the treasury or the gas account is empty, and are sent when it has money', async () => {
    const gas = findGasAddress(on.service, on.rail())
    const coin = await on.chain.coinOf(gas)
    await on.chain.setCoin(gas, 1n)
    const payee = payer.newPayee()
    const small = await payer.pay(payee, 6000n)
    await payer.payment(small, ({ note }) => /coin/.test(note ?? ''))
    await payer.alerted('gas')
    await on.chain.setCoin(gas, coin)
    const treasury = await on.chain.balanceOf(findTokenAddress(), on.rail().chain.treasury)
    const otherPayee = payer.newPayee()
    const large = await payer.pay(otherPayee, treasury + 1n)
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
    expect(await readBalance(payee)).toBe(6000n)
    expect(await readBalance(otherPayee)).toBe(treasury + 1n)
    expect(await readBalance(on.rail().chain.treasury)).toBe(0n)
    await on.chain.mint(on.rail().chain.treasury, 10n ** 12n)
    await on.chain.mine()
  })

  test('are sent again, once, if a reorganization drops them', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 7000n)
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS - 1)
    const mined = await payer.transaction(transfer, ({ state }) => state === 'MINED')
    await on.chain.reorg(CONFIRMATIONS - 1)
    await on.chain.rpc('anvil_dropAllTransactions')
    expect(await readBalance(payee)).toBe(0n)
    await payer.transaction(transfer, ({ state }) => state === 'OPEN')
    await payer.sent([transfer])
    await on.chain.mine(CONFIRMATIONS)
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    const [resent, ...others] = await payer.transactionsOf(transfer)
    expect(others).toEqual([])
    expect(resent!.block_hash).not.toBe(mined.block_hash)
    expect(await readBalance(payee)).toBe(7000n)
  })

  test('are relayed again with the next nonce if another holder of the key has used theirs', async () => {
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
    expect(await readBalance(payee)).toBe(8000n)
  })

  test('are neither delivered nor sent again while a node hides their blocks', async () => {
    await setEntry({ rpcs: [{ type: 'url', url: proxy.url }] })
    proxy.lie('eth_getTransactionReceipt', 'null')
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 9000n)
    await payer.sent([transfer])
    const callsBefore = proxy.calls('eth_getTransactionReceipt').length
    await on.chain.mine(CONFIRMATIONS)
    await until(
      async () => proxy.calls('eth_getTransactionReceipt').length,
      (calls) => calls > callsBefore,
    )
    expect((await payer.stateOf(transfer)).status).toBe('PENDING')
    proxy.honest()
    await on.chain.mine()
    expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await payer.transactionsOf(transfer)).toHaveLength(1)
    expect(await readBalance(payee)).toBe(9000n)
    await setEntry({})
  })

  test('are distributed among the gas accounts that have coin', async () => {
    await setEntry({ gasAccounts: 3 })
    // Work in progress keeps the previous gas accounts, so this payment may still use them.
    await payer.sent([await payer.pay(payer.newPayee(), 10n)])
    // Earlier payments have used up the coin of the first gas account.
    const rich = on.rail().gas.slice(0, 2)
    for (const account of rich) await on.chain.setCoin(account, 10n ** 20n)
    const payees = Array.from({ length: 8 }, () => payer.newPayee())
    const transfers = await Promise.all(payees.map((payee) => payer.pay(payee, 10n)))
    const rows = await payer.sent(transfers)
    expect(new Set(rows.map(({ sender }) => sender))).toEqual(new Set(rich))
    await on.chain.mine(CONFIRMATIONS)
    for (const transfer of transfers) expect((await payer.ended(transfer)).status).toBe('COMPLETED')
    expect(await Promise.all(payees.map(readBalance))).toEqual(payees.map(() => 10n))
    await setEntry({})
  })
})
