import { expect, test } from 'vitest'
import { INT64_MAX } from '../../../src/base/json/int64.ts'
import { post } from '../../../src/kernel/ledger/transfers.ts'
import { decideAndCommit } from '../../../src/kernel/operation/decide-and-commit.ts'
import { world } from '../../worlds/world.testing.ts'

test('an amount that overflows a 64-bit balance is refused, and not reported as busy', async () => {
  const { app, newOp } = await world('sandbox+quiet')
  const op = await newOp()
  const postDeposit = (amount: bigint) =>
    decideAndCommit(
      app,
      op,
      async () => undefined,
      async () => ({
        answer: 'paid',
        writes: post(op, { cause: 'deposit', causeId: op.newId('Deposit') }, [
          { system: 'rail', currency: 'USD', amount: -amount },
          { system: 'suspense', currency: 'USD', amount },
        ]),
      }),
    )
  expect(await postDeposit(INT64_MAX)).toBe('paid')
  await expect(postDeposit(1n)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})
