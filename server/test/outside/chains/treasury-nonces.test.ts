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

/** Wei: more than anybody else offers. */
const HIGH_TIP = 10n ** 11n

describe.skipIf(chainAbsent)('a payment of the treasury', () => {
  let on: BehindProxy
  let payer: Payer

  beforeAll(async () => {
    on = await openBehindProxy()
    payer = await Payer.open(on)
    // The money of the treasury is a deposit of the platform: it is in the balances from now on.
    await on.chain.mine(CONFIRMATIONS)
    await followed(on)
    await on.chain.setAutomine(false)
  })
  afterEach(() => on.proxy.honest())
  afterAll(() => on?.close())

  /** Uses the nonce of a payment as somebody could who has the key of the treasury. */
  async function useNonce({ token, sender, nonce }: ChainPaymentRow, to: Hex, value: bigint): Promise<void> {
    const { timestamp } = await on.chain.block()
    const one = { from: sender, to, value, validBefore: timestamp + 3600n, nonce: nonce! }
    const { separator } = on.rail().facts!.tokens[token]!.domain!
    const path = pathOf(on.rail().name, 'TREASURY', TREASURY)
    const signature = on.service.app.enclave.signOnChain(path, computeAuthorizationDigest(separator, one))
    const fees = { maxFeePerGas: 2n * HIGH_TIP, maxPriorityFeePerGas: HIGH_TIP }
    const call = { ...callWithAuthorization(token, one, signature), gas: 300_000n, ...fees }
    await on.chain.rpc('eth_sendTransaction', [{ from: on.chain.account(5).address, ...call }])
  }

  const mined = <T>(look: () => Promise<T>, isThere: (found: T) => boolean) =>
    until(async () => {
      await on.chain.mine(1, 0)
      return look()
    }, isThere)

  async function sent(amount: bigint) {
    const payee = payer.newPayee().toLowerCase() as Hex
    const transfer = await payer.pay(payee, amount)
    await payer.sent([transfer])
    return { payee, transfer, payment: (await payer.paymentOf(transfer))! }
  }

  test('whose nonce was used for another transfer fails with an alert, and the payer is refunded', async () => {
    const before = await payer.balance()
    const { payee, transfer, payment } = await sent(4_000n)
    await useNonce(payment, payer.newPayee(), 1n)
    const done = await mined(
      () => payer.stateOf(transfer),
      ({ status }) => status === 'FAILED',
    )
    expect(done.refund).toBeUndefined()
    expect(await payer.balance()).toBe(before)
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(0n)
    await payer.alerted('treasury')
  })

  test('whose payee got another amount by its nonce waits for a person: a refund would pay twice', async () => {
    const before = await payer.balance()
    const { payee, transfer, payment } = await sent(5_000n)
    // A token that keeps a fee does the same.
    await useNonce(payment, payee, 4_990n)
    const row = await mined(
      () => payer.paymentOf(transfer),
      (found) => found?.note === 'The payee got a different amount. An operator must review the payment.',
    )
    expect(row).toMatchObject({ state: 'WAITING', attempts: 1 })
    expect((await payer.stateOf(transfer)).status).not.toBe('FAILED')
    expect(BigInt(await payer.balance())).toBeLessThan(BigInt(before))
  })

  test('does not fail on a receipt whose transfer a node has lost, and is delivered once the node has it', async () => {
    const { payee, transfer } = await sent(6_000n)
    on.proxy.lie('eth_getTransactionReceipt', async (_, truth) => {
      const answer = await truth()
      if (!('result' in answer) || answer.result === null) return answer
      const receipt = answer.result as { logs: { topics: string[] }[] }
      const logs = receipt.logs.filter(({ topics }) => topics[0] !== TRANSFER_TOPIC)
      return { result: { ...receipt, logs } }
    })
    await on.chain.mine(CONFIRMATIONS)
    const asked = on.proxy.calls('eth_getLogs').length
    await mined(
      async () => on.proxy.calls('eth_getLogs').length,
      (count) => count > asked + 10,
    )
    expect((await payer.paymentOf(transfer))?.state).toBe('SENT')
    on.proxy.honest()
    const done = await mined(
      () => payer.stateOf(transfer),
      ({ status }) => status !== 'PENDING' && status !== 'PROCESSING',
    )
    expect(done.status).toBe('COMPLETED')
    expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(6_000n)
  })
})
