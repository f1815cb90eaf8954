import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import { createChainNodes } from './chain-nodes.ts'
import {
  CHAIN_ID,
  createTestChain,
  type FakeNode,
  RpcError,
  STARTED_AT,
  startNode,
  TOKEN,
  toBlockHash,
  toHash,
  toHexQuantity,
  toWireLog,
  toWireReceipt,
} from './fake-node.testing.ts'

const HOLDER: Hex = `0x${'22'.repeat(20)}`
const CALL = { from: HOLDER, to: TOKEN, data: '0x1234' } as const
const toReceiptHash = (number: number) => toHash(`transaction ${number} 0`)

describe('queries to one node', () => {
  test('the head, the first block and any other block can be read, and a future block is undefined', async () => {
    const node = await startNode()
    const chain = createTestChain([node])
    expect(await chain.head()).toEqual({
      number: 100n,
      hash: toBlockHash(node, 100),
      parentHash: toBlockHash(node, 99),
      timestamp: BigInt(STARTED_AT + 100),
      baseFeePerGas: 1_100n,
    })
    expect((await chain.block(7n))!.hash).toBe(toBlockHash(node, 7))
    expect(await chain.block(101n)).toBeUndefined()
    expect(await chain.genesis()).toBe(toBlockHash(node, 0))
    expect((await chain.block(0n))!.baseFeePerGas).toBe(0n)
    expect(await chain.chainId()).toBe(CHAIN_ID)
  })

  test('accounts and fees can be read', async () => {
    const node = await startNode({ lies: { eth_getCode: () => '0xABCD' } })
    const chain = createTestChain([node])
    expect(await chain.nativeBalance(HOLDER)).toBe(100n)
    expect(await chain.nativeBalance(HOLDER, 9n)).toBe(9n)
    expect(await chain.transactionCount(HOLDER, 'latest')).toBe(100n)
    expect(await chain.transactionCount(HOLDER, 'pending')).toBe(999n)
    expect(await chain.code(TOKEN)).toBe('0xabcd')
    expect(await chain.fees()).toEqual({ baseFeePerGas: 1_100n, priorityFeePerGas: 7n })
    node.lies.eth_maxPriorityFeePerGas = () => new RpcError(-32601, 'Method not found')
    node.lies.eth_gasPrice = () => toHexQuantity(1_150)
    expect(await chain.fees()).toEqual({ baseFeePerGas: 1_100n, priorityFeePerGas: 50n })
  })

  test('receipts are read in batches, or one by one if the node accepts no batches', async () => {
    const node = await startNode()
    const hashes = Array.from({ length: 60 }, (_, at) => toReceiptHash(at + 1))
    hashes.slice(1).forEach((hash, at) => {
      node.receipts.set(hash, toWireReceipt(node, at + 2, at % 2))
    })
    const chain = createTestChain([node])
    const receipts = await chain.receipts(hashes)
    expect([...receipts.keys()]).toEqual(hashes.slice(1))
    expect(receipts.get(toReceiptHash(2))).toMatchObject({
      ...{ status: 'reverted', blockNumber: 2n, gasUsed: 21_000n, effectiveGasPrice: 1_000_000_000n },
      ...{ to: TOKEN, logs: [{ address: TOKEN, logIndex: 0 }] },
    })
    expect((await chain.receipt(toReceiptHash(3).toUpperCase().replace('0X', '0x') as Hex))!.status).toBe(
      'success',
    )
    expect(await chain.receipt(toReceiptHash(1))).toBeUndefined()
    // The chain's id, the head, and two batches each of receipts and of blocks; then three and two.
    expect(node.requests).toBeLessThanOrEqual(6 + 3 + 2)
    node.hijack = (response, body) => {
      if (!Array.isArray(body)) return false
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}')
      return true
    }
    const before = node.requests
    expect(await chain.receipts(hashes)).toEqual(receipts)
    await chain.receipts(hashes)
    // Only one batch is refused.
    expect(node.requests - before).toBe(1 + 2 * (1 + 60 + 59))
    // The node may just have been busy, so a batch is tried again after an hour.
    node.hijack = undefined
    chain.advance(3_601)
    const later = node.requests
    await chain.receipts(hashes)
    expect(node.requests - later).toBeLessThanOrEqual(6)
  })

  test.each<[string, (node: FakeNode) => Record<string, unknown>]>([
    ['another transaction', (node) => toWireReceipt(node, 6)],
    ['another branch', () => toWireReceipt({ branch: { from: 0, name: 'other' } }, 5)],
    [
      'a block above the head',
      (node) => ({ ...toWireReceipt(node, 500), transactionHash: toReceiptHash(5) }),
    ],
    ['a log of another block', (node) => ({ ...toWireReceipt(node, 5), logs: [toWireLog(node, 6)] })],
    [
      'a log of another number',
      (node) => ({ ...toWireReceipt(node, 5), logs: [{ ...toWireLog(node, 5), blockNumber: '0x6' }] }),
    ],
    [
      'a log of another hash',
      (node) => ({ ...toWireReceipt(node, 5), logs: [{ ...toWireLog(node, 5), blockHash: toHash('') }] }),
    ],
    [
      'a log of another transaction',
      (node) => ({ ...toWireReceipt(node, 5), logs: [toWireLog(node, 5, 1)] }),
    ],
    ['a missing status', (node) => ({ ...toWireReceipt(node, 5), status: undefined })],
    ['an unknown status', (node) => ({ ...toWireReceipt(node, 5), status: '0x2' })],
    ['a hash that is too short', (node) => ({ ...toWireReceipt(node, 5), blockHash: '0x12' })],
    ['gas that is not a number', (node) => ({ ...toWireReceipt(node, 5), gasUsed: 'many' })],
  ])('a receipt with or from %s is rejected', async (_, buildReceipt) => {
    const node = await startNode()
    node.receipts.set(toReceiptHash(5), buildReceipt(node))
    const chain = createTestChain([node])
    await expect(chain.receipt(toReceiptHash(5))).rejects.toMatchObject({ problem: 'NO_ANSWER' })
    expect(chain.alerts.map(({ kind }) => kind)).toContain('BAD_ANSWER')
  })

  test('a revert by a contract is distinguished from a refusal by the node', async () => {
    const node = await startNode()
    const chain = createTestChain([node])
    const data = `0x08c379a0${'00'.repeat(31)}20`
    for (const [error, message, given] of [
      [new RpcError(3, 'execution reverted: not yours', data), 'execution reverted: not yours', data],
      [new RpcError(-32015, 'VM execution error.', `Reverted ${data}`), 'VM execution error.', data],
      [new RpcError(-32000, 'Execution reverted', { data }), 'Execution reverted', data],
      [new RpcError(-32000, 'execution reverted'), 'execution reverted', '0x'],
    ] as const) {
      node.lies = { eth_call: () => error, eth_estimateGas: () => error }
      const reverted = { name: 'CallReverted', message, data: given }
      await expect(chain.call(CALL)).rejects.toMatchObject(reverted)
      await expect(chain.estimateGas(CALL)).rejects.toMatchObject(reverted)
    }
    node.lies.eth_estimateGas = () => new RpcError(-32000, 'insufficient funds for transfer')
    await expect(chain.estimateGas(CALL)).rejects.toMatchObject({ name: 'CallReverted', data: '0x' })
    node.lies.eth_call = () => new RpcError(-32000, 'missing trie node')
    await expect(chain.call(CALL)).rejects.toMatchObject({ name: 'NodeError', problem: 'NO_ANSWER' })
    node.lies = { eth_call: () => '0x00FF', eth_estimateGas: () => '0x5208' }
    expect(await chain.call(CALL)).toBe('0x00ff')
    expect(await chain.estimateGas(CALL)).toBe(21_000n)
  })
})

describe('nodes that cannot be used', () => {
  test('a node on another chain gets no other query for a minute, and raises an alert', async () => {
    const [other, right] = [await startNode({ chainId: 1 }), await startNode({ head: 90 })]
    const chain = createTestChain([other, right])
    expect((await chain.head()).number).toBe(90n)
    await chain.send('0x02').catch(() => {})
    expect(other.calledMethods).toEqual(['eth_chainId'])
    const host = new URL(other.url).host
    expect(chain.alerts).toEqual([
      { kind: 'OTHER_CHAIN', node: host, detail: `is on chain 1 instead of ${CHAIN_ID}` },
    ])
    other.chainId = CHAIN_ID
    chain.advance(61)
    expect((await chain.head()).number).toBe(100n)
  })

  test('the error says so if all nodes are on another chain', async () => {
    const chain = createTestChain([await startNode({ chainId: 1 })])
    await expect(chain.chainId()).rejects.toMatchObject({ problem: 'OTHER_CHAIN' })
  })

  test('reading the chain id also detects a standby node on another chain', async () => {
    const chain = createTestChain(
      [await startNode(), await startNode({ chainId: 1 }), await startNode({ hijack: () => true })],
      {
        timeoutMs: 300,
      },
    )
    expect(await chain.chainId()).toBe(CHAIN_ID)
    expect(chain.alerts.map(({ kind }) => kind)).toContain('OTHER_CHAIN')
  })

  test('the chain id is checked again after a minute and after a failure', async () => {
    const node = await startNode()
    const chain = createTestChain([node])
    await chain.head()
    await chain.head()
    expect(node.calledMethods.filter((method) => method === 'eth_chainId')).toHaveLength(1)
    chain.advance(61)
    await chain.head()
    expect(node.calledMethods.filter((method) => method === 'eth_chainId')).toHaveLength(2)
    const { port } = new URL(node.url)
    await node.stop()
    await expect(chain.head()).rejects.toMatchObject({ problem: 'NO_ANSWER' })
    const impostor = await startNode({ chainId: 1 }, Number(port))
    await expect(chain.head()).rejects.toMatchObject({ problem: 'OTHER_CHAIN' })
    expect(impostor.calledMethods).toEqual(['eth_chainId'])
  })

  test.each<[string, Partial<FakeNode>, number]>([
    ['an hour old', { head: 100 }, 3_601],
    ['in the future', { head: 1_002 }, 0],
  ])('a head that is %s is rejected', async (_, state, seconds) => {
    const old = await startNode(state)
    const chain = createTestChain([old])
    chain.advance(seconds)
    await expect(chain.head()).rejects.toMatchObject({ problem: 'OLD_BLOCK' })
    await expect(chain.fees()).rejects.toMatchObject({ problem: 'OLD_BLOCK' })
    expect(chain.alerts).toMatchObject([{ kind: 'OLD_BLOCK' }])
    old.head += seconds - (seconds === 0 ? 2 : 1)
    expect((await chain.head()).number).toBe(BigInt(old.head))
  })

  test('the head may go back by up to 64 blocks', async () => {
    const node = await startNode()
    const chain = createTestChain([node])
    await chain.head()
    node.head = 36
    expect((await chain.head()).number).toBe(36n)
    node.head = 35
    await expect(chain.head()).rejects.toMatchObject({ problem: 'OLD_BLOCK' })
    expect(chain.alerts).toMatchObject([{ kind: 'OLD_BLOCK' }])
    const spare = await startNode({ head: 37 })
    const two = createTestChain([node, spare])
    expect((await two.head()).number).toBe(35n)
  })

  test('a node that lacks a block below its head, or returns a different block, is rejected', async () => {
    const [denies, honest] = [await startNode(), await startNode()]
    const chain = createTestChain([denies, honest])
    denies.lies.eth_getBlockByNumber = () => null
    expect((await chain.block(5n))!.number).toBe(5n)
    expect(chain.alerts).toMatchObject([{ kind: 'BAD_ANSWER', detail: 'A block below the head is missing' }])
    const other = await startNode()
    other.lies.eth_getBlockByNumber = () => ({
      number: '0x6',
      hash: toHash(''),
      parentHash: toHash(''),
      timestamp: '0x1',
    })
    await expect(createTestChain([other]).block(5n)).rejects.toMatchObject({ problem: 'NO_ANSWER' })
  })

  test('fewer nodes than have to agree are rejected', () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const options = {
      rpcUrls: ['http://127.0.0.1:1'],
      agreement: 2,
      chainId: 1,
      clock: () => new Date(0),
      log,
    } as const
    expect(() => createChainNodes(options)).toThrow(
      'RAILS_FILE: the rail on chain 1 has an agreement of 2, but only 1 in rpcs. Add a node.',
    )
  })
})
