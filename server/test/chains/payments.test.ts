import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chainAbsent } from '../chain.testing.ts'
import { type OnChain, openOnChain } from '../on-chain.testing.ts'
import { until } from '../production.testing.ts'
import { Payer } from './payer.testing.ts'

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('payments on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.chain.setAutomine(false)
    payer = await Payer.open(on)
  })
  afterAll(() => on?.close())

  test('are delivered with their hash once they are confirmed, from accounts of the platform and of customers', async () => {
    for (const customer of [false, true]) {
      const payee = payer.newPayee()
      const transfer = await payer.pay(payee, 1_250_000n, customer)
      const [row] = await payer.sent([transfer])
      await on.chain.mine(2)
      expect(await payer.stateOf(transfer)).toMatchObject({ status: 'PENDING' })
      await on.chain.mine()
      const done = await payer.ended(transfer)
      expect(done).toMatchObject({
        status: 'COMPLETED',
        reconciliationInstructions: { transactionHash: row!.attempts[0]!.hash },
      })
      expect(await on.chain.balanceOf(on.chain.token, payee)).toBe(1_250_000n)
    }
  })
})
