import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import {
  createTestChain,
  type FakeNode,
  RpcError,
  startNode,
  type TestChain,
  TOKEN,
  TRANSFER,
  toBlockHash,
  toHash,
  toWireLog,
  toWireReceipt,
} from './fake-node.testing.ts'

const HOLDER: Hex = `0x${'22'.repeat(20)}`
const CALL = { to: TOKEN, data: '0x1234' } as const
const DISAGREEMENT = { name: 'NodeError', problem: 'DISAGREEMENT' } as const
const toReceiptHash = (number: number) => toHash(`transaction ${number} 0`)

async function twoNodes(
  first: Partial<FakeNode> = {},
  second: Partial<FakeNode> = {},
): Promise<readonly [FakeNode, FakeNode, TestChain]> {
  const nodes = [await startNode(first), await startNode(second)] as const
  return [...nodes, createTestChain(nodes, { agreement: 2 })]
}

describe('the agreed head', () => {
  test.each([
    [100, 97],
    [97, 100],
    [100, 100],
  ])('two nodes with the heads %i and %i agree on the lower head', async (one, other) => {
    const [first, , chain] = await twoNodes({ head: one }, { head: other })
    const number = Math.min(one, other)
    expect(await chain.head()).toMatchObject({ number: BigInt(number), hash: toBlockHash(first, number) })
  })

  test.each([98, 100])(
    'the agreed head is below a branch of one node that begins at block %i',
    async (from) => {
      const [, , chain] = await twoNodes({ branch: { from, name: 'other' } }, { head: 101 })
      expect(await chain.head()).toMatchObject({ number: BigInt(from) - 1n })
      expect(chain.alerts).toEqual([])
    },
  )

  test('two nodes with long different branches have no agreed head', async () => {
    const [, , chain] = await twoNodes({ branch: { from: 97, name: 'other' } }, { head: 101 })
    await expect(chain.head()).rejects.toMatchObject(DISAGREEMENT)
    expect(chain.alerts).toMatchObject([{ kind: 'DISAGREEMENT' }])
  })

  test('two nodes have no agreed head if one of them is far behind', async () => {
    const [, second, chain] = await twoNodes()
    await chain.head()
    second.head = 30
    await expect(chain.head()).rejects.toMatchObject({ problem: 'OLD_BLOCK' })
  })
})

describe('disagreements between two nodes', () => {
  test('two different blocks with one number are a disagreement', async () => {
    const [first, , chain] = await twoNodes({ branch: { from: 50, name: 'other' } }, { head: 99 })
    expect((await chain.block(49n))!.hash).toBe(toBlockHash(first, 49))
    await expect(chain.block(50n)).rejects.toMatchObject(DISAGREEMENT)
    expect(chain.alerts).toMatchObject([{ kind: 'DISAGREEMENT' }])
    // Only one of them has it.
    expect(await chain.block(100n)).toBeUndefined()
    await expect((await twoNodes({ branch: { from: 0, name: 'other' } }))[2].genesis()).rejects.toMatchObject(
      DISAGREEMENT,
    )
  })

  test('different logs are a disagreement only if the difference persists', async () => {
    const [first, second, chain] = await twoNodes()
    const filter = { address: TOKEN, topics: [TRANSFER], from: 1n, to: 90n } as const
    first.logs = [toWireLog(first, 5), toWireLog(first, 6)]
    second.logs = [...first.logs].reverse()
    expect(await chain.logs(filter)).toHaveLength(2)
    second.logs = [toWireLog(first, 5)]
    await expect(chain.logs(filter)).rejects.toMatchObject(DISAGREEMENT)
    expect(chain.alerts).toMatchObject([{ kind: 'DISAGREEMENT' }])
    second.logs = [toWireLog(first, 5), { ...toWireLog(first, 6), data: '0x02' }]
    await expect(chain.logs(filter)).rejects.toMatchObject(DISAGREEMENT)
    // A difference that has disappeared by the second query does not count.
    let times = 0
    second.lies.eth_getLogs = () => (times++ === 0 ? [] : first.logs)
    expect(await chain.logs(filter)).toHaveLength(2)
  })

  test('a receipt that only one node has, or that differs, is a disagreement', async () => {
    const [first, second, chain] = await twoNodes({}, { head: 99 })
    const hash = toReceiptHash(95)
    first.receipts.set(hash, toWireReceipt(first, 95))
    await expect(chain.receipt(hash)).rejects.toMatchObject(DISAGREEMENT)
    second.receipts.set(hash, toWireReceipt(first, 95, 0))
    await expect(chain.receipt(hash)).rejects.toMatchObject(DISAGREEMENT)
    second.receipts.set(hash, toWireReceipt(first, 95))
    expect(await chain.receipt(hash)).toMatchObject({ blockNumber: 95n, status: 'success' })
  })

  test('a receipt that the other node cannot have yet is treated as missing', async () => {
    const heads = [{ head: 100 }, { head: 90 }]
    for (const [one, other] of [heads, [...heads].reverse()]) {
      const [first, second, chain] = await twoNodes(one, other)
      const ahead = first.head === 100 ? first : second
      ahead.receipts.set(toReceiptHash(95), toWireReceipt(ahead, 95))
      expect(await chain.receipt(toReceiptHash(95))).toBeUndefined()
      expect(chain.alerts).toEqual([])
    }
  })

  test('a receipt near the head is treated as missing if the nodes have different blocks', async () => {
    const [first, second, chain] = await twoNodes({}, { branch: { from: 97, name: 'other' } })
    const hash = toReceiptHash(97)
    first.receipts.set(hash, toWireReceipt(first, 97))
    expect(await chain.receipt(hash)).toBeUndefined()
    second.receipts.set(hash, toWireReceipt(second, 97))
    expect(await chain.receipt(hash)).toBeUndefined()
    second.branch = undefined
    second.receipts.set(hash, toWireReceipt(first, 97, 0))
    await expect(chain.receipt(hash)).rejects.toMatchObject(DISAGREEMENT)
    second.receipts.set(hash, toWireReceipt(first, 97))
    expect(await chain.receipt(hash)).toMatchObject({ blockNumber: 97n })
  })

  test('different call results are a disagreement, but different wording of a revert is not', async () => {
    const [first, second, chain] = await twoNodes()
    first.lies.eth_call = second.lies.eth_call = () => '0x01'
    expect(await chain.call(CALL)).toBe('0x01')
    second.lies.eth_call = () => '0x02'
    await expect(chain.call(CALL)).rejects.toMatchObject(DISAGREEMENT)
    second.lies.eth_call = () => new RpcError(3, 'execution reverted', '0x02')
    await expect(chain.call(CALL)).rejects.toMatchObject(DISAGREEMENT)
    first.lies.eth_call = () => new RpcError(-32015, 'VM execution error.', 'Reverted 0x03')
    await expect(chain.call(CALL)).rejects.toMatchObject(DISAGREEMENT)
    first.lies.eth_call = () => new RpcError(-32015, 'VM execution error.', 'Reverted 0x02')
    await expect(chain.call(CALL)).rejects.toMatchObject({ name: 'CallReverted', data: '0x02' })
  })

  test('different balances, transaction counts or contract codes are a disagreement', async () => {
    const [first, second, chain] = await twoNodes()
    first.lies.eth_getCode = second.lies.eth_getCode = () => '0x60'
    expect(await chain.code(TOKEN)).toBe('0x60')
    second.lies = {
      eth_getCode: () => '0x',
      eth_getBalance: () => '0x1',
      eth_getTransactionCount: () => '0x1',
    }
    await expect(chain.code(TOKEN)).rejects.toMatchObject(DISAGREEMENT)
    await expect(chain.nativeBalance(HOLDER)).rejects.toMatchObject(DISAGREEMENT)
    await expect(chain.transactionCount(HOLDER, 'latest')).rejects.toMatchObject(DISAGREEMENT)
    // No two nodes have the same pending transactions.
    expect([0x1n, 999n]).toContain(await chain.transactionCount(HOLDER, 'pending'))
  })
})

test('two nodes are queried at the same block, which both have', async () => {
  const [, , chain] = await twoNodes({ head: 100 }, { head: 98 })
  // The fake node returns the queried block's number.
  expect(await chain.nativeBalance(HOLDER)).toBe(98n)
  expect(await chain.transactionCount(HOLDER, 'latest')).toBe(98n)
  expect(await chain.nativeBalance(HOLDER, 3n)).toBe(3n)
})

test('a third node replaces a failed one, and one node is too few for an agreement of two', async () => {
  const nodes = [await startNode({ head: 100 }), await startNode({ head: 99 }), await startNode({ head: 98 })]
  const chain = createTestChain(nodes, { agreement: 2 })
  expect((await chain.head()).number).toBe(99n)
  expect(nodes[2]!.requests).toBe(0)
  await nodes[1]!.stop()
  expect((await chain.head()).number).toBe(98n)
  await nodes[0]!.stop()
  await expect(chain.head()).rejects.toMatchObject({ problem: 'NO_ANSWER' })
})
