import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { computeAuthorizationDigest } from '../../../src/base/crypto/evm/authorization.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { TREASURY } from '../../../src/outside/chains/evm-rail.ts'
import { callWithAuthorization, TRANSFER_TOPIC } from '../../../src/outside/chains/formats/calls.ts'
import { pathOf } from '../../../src/outside/chains/formats/paths.ts'
import type { ChainPaymentRow } from '../../../src/storage/rows/chain.ts'
import {
  type BehindProxy,
  CONFIRMATIONS,
  chainAbsent,
  followed,
  openBehindProxy,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'

/** In wei: more than anybody else offers. */
const HIGH_TIP = 10n ** 11n

describe.skipIf(chainAbsent)('a treasury payment', () => {
  let on: BehindProxy
  let payer: Payer

  beforeAll(async () => {
    on = await openBehindProxy()
    payer = await Payer.open(on)
    // Waits until the money of the treasury is credited as a deposit of the platform.
    await on.chain.mine(CONFIRMATIONS)
    await followed(on)
    await on.chain.setAutomine(false)
  })
  afterEach(() => on.proxy.honest())
  afterAll(() => on?.close())

  /** Uses the nonce of a payment as another holder of the treasury key could. */
  async function useNonce({ token, sender, nonce }: ChainPaymentRow, to: Hex, value: bigint): Promise<void> {
    const { timestamp } = await on.chain.block()
    const terms = { from: sender, to, value, validBefore: timestamp + 3600n, nonce: nonce! }
    const { separator } = on.rail().facts!.tokens[token]!.domain!
    const path = pathOf(on.rail().name, 'TREASURY', TREASURY)
    const signature = on.service.app.enclave.signOnChain(path, computeAuthorizationDigest(separator, terms))
    const fees = { maxFeePerGas: 2n * HIGH_TIP, maxPriorityFeePerGas: HIGH_TIP }
    const call = { ...callWithAuthorization(token, terms, signature), gas: 300_000n, ...fees }
    await on.chain.rpc('eth_sendTransaction', [{ from: on.chain.account(5).address, ...call }])
  }

  const mineUntil = <T>(read: () => Promise<T>, isThere: (found: T) => boolean) =>
    until(async () => {
      await on.chain.mine(1, 0)
      return read()
    }, isThere)

  async function sendPayment(amount: bigint) {
    const payee = payer.newPayee().toLowerCase() as Hex
    const transfer = await payer.pay(payee, amount)
    await payer.sent([transfer])
    return { payee, transfer, payment: (await payer.paymentOf(transfer))! }
  }

  test('whose nonce was used for another transfer fails with an alert, and the payer is refunded', async () => {
    const before = await payer.balance()
    const { payee, transfer, payment } = await sendPayment(4_000n)
    await useNonce(payment, payer.newPayee(), 1n)
    const done = await mineUntil(
      () => payer.stateOf(transfer),
      ({ status }) => status === 'FAILED',
    )
    expect(done.refund).toBeUndefined()
    expect(await payer.balance()).toBe(before)
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(0n)
    await payer.alerted('treasury')
  })

  test('whose nonce paid the payee another amount waits for a person, because a refund would pay twice', async () => {
    const before = await payer.balance()
    const { payee, transfer, payment } = await sendPayment(5_000n)
    // A token that deducts a fee has the same effect.
    await useNonce(payment, payee, 4_990n)
    const row = await mineUntil(
      () => payer.paymentOf(transfer),
      (found) => found?.note === 'The payee got a different amount. An operator must review the payment.',
    )
    expect(row).toMatchObject({ state: 'WAITING', attempts: 1 })
    expect((await payer.stateOf(transfer)).status).not.toBe('FAILED')
    expect(BigInt(await payer.balance())).toBeLessThan(BigInt(before))
  })

  test('does not fail if a node omits its transfer from the receipt, and is delivered once the node returns it', async () => {
    const { payee, transfer } = await sendPayment(6_000n)
    on.proxy.lie('eth_getTransactionReceipt', async (_, truth) => {
      const response = await truth()
      if (!('result' in response) || response.result === null) return response
      const receipt = response.result as { logs: { topics: string[] }[] }
      const logs = receipt.logs.filter(({ topics }) => topics[0] !== TRANSFER_TOPIC)
      return { result: { ...receipt, logs } }
    })
    await on.chain.mine(CONFIRMATIONS)
    const callsBefore = on.proxy.calls('eth_getLogs').length
    await mineUntil(
      async () => on.proxy.calls('eth_getLogs').length,
      (count) => count > callsBefore + 10,
    )
    expect((await payer.paymentOf(transfer))?.state).toBe('SENT')
    on.proxy.honest()
    const done = await mineUntil(
      () => payer.stateOf(transfer),
      ({ status }) => status !== 'PENDING' && status !== 'PROCESSING',
    )
    expect(done.status).toBe('COMPLETED')
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(6_000n)
  })
})
