import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../base/formats/hex.ts'
import type { LogFilter } from '../../../kernel/ports/chain-nodes.ts'
import {
  createTestChain,
  type FakeNode,
  RpcError,
  startNode,
  TOKEN,
  TRANSFER,
  toBlockHash,
  toHash,
  toHexQuantity,
  toWireLog,
  type Wire,
} from './fake-node.testing.ts'

const NOBODY: Hex = `0x${'00'.repeat(32)}`
const FILTER: LogFilter = { address: TOKEN, topics: [TRANSFER], from: 10n, to: 20n }

test('logs are ordered by block and index, with their bytes in lower case', async () => {
  const node = await startNode()
  node.logs = [toWireLog(node, 15, 11), toWireLog(node, 15, 2), toWireLog(node, 12, 5), toWireLog(node, 21)]
  const chain = createTestChain([node])
  const logs = await chain.logs(FILTER)
  expect(logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual([
    [12n, 5],
    [15n, 2],
    [15n, 11],
  ])
  expect(logs[0]).toEqual({
    address: TOKEN,
    topics: [TRANSFER, NOBODY],
    data: `0x${'01'.repeat(32)}`,
    blockNumber: 12n,
    blockHash: toBlockHash(node, 12),
    transactionHash: toHash('transaction 12 5'),
    logIndex: 5,
  })
  expect(await chain.logs({ ...FILTER, from: 21n })).toEqual([])
  expect(await chain.logs({ ...FILTER, from: 13n, to: 14n })).toEqual([])
})

test('a log filter can allow any value of a topic, or several values', async () => {
  const node = await startNode()
  node.logs = [toWireLog(node, 12)]
  const chain = createTestChain([node])
  const other = toHash('other')
  for (const topics of [
    [null, NOBODY],
    [[other, TRANSFER]],
    [TRANSFER, [NOBODY.toUpperCase().replace('0X', '0x') as Hex]],
    [[], []],
    [],
  ])
    expect(await chain.logs({ ...FILTER, topics })).toHaveLength(1)
  for (const topics of [[other], [[other]], [null, other], [TRANSFER, NOBODY, null]])
    await expect(createTestChain([node]).logs({ ...FILTER, topics })).rejects.toMatchObject({
      name: 'NodeError',
    })
})

/** A node's responses instead of its one log, in block 12. */
const LIES: Readonly<Record<string, (log: Wire, node: FakeNode) => unknown>> = {
  'a log of another contract': (log) => [{ ...log, address: `0x${'bb'.repeat(20)}` }],
  'a log before the range': (_, node) => [toWireLog(node, 9)],
  'a log after the range': (_, node) => [toWireLog(node, 21)],
  'a log with another topic': (log) => [{ ...log, topics: [toHash('other'), NOBODY] }],
  'a log without topics': (log) => [{ ...log, topics: [] }],
  'a log with five topics': (log) => [{ ...log, topics: Array(5).fill(TRANSFER) }],
  'a log marked as removed': (log) => [{ ...log, removed: true }],
  'the same log twice': (log) => [log, log],
  'two logs with the same index': (log) => [log, { ...log, transactionHash: toHash('other') }],
  'a log of another branch': () => [toWireLog({ branch: { from: 0, name: 'other' } }, 12)],
  'logs of two branches': (log) => [log, toWireLog({ branch: { from: 0, name: 'other' } }, 12, 1)],
  'logs of two branches, the right one last': (log) => [
    toWireLog({ branch: { from: 0, name: 'other' } }, 12, 1),
    log,
  ],
  'a log without a block': (log) => [{ ...log, blockHash: null, blockNumber: null }],
  'a log with an odd number of hex digits': (log) => [{ ...log, data: '0x123' }],
  'a log with a huge index': (log) => [{ ...log, logIndex: toHexQuantity(2n ** 64n) }],
  'a string instead of a log': () => ['log'],
  'an object instead of a list': (log) => log,
  null: () => null,
}

describe.each(Object.entries(LIES))('%s', (_, lie) => {
  test('in a logs response is rejected with an alert, and another node is queried', async () => {
    const [liar, honest] = [await startNode(), await startNode()]
    const log = toWireLog(liar, 12)
    honest.logs = [log]
    liar.lies.eth_getLogs = () => lie(log, liar)
    const alone = createTestChain([liar])
    await expect(alone.logs(FILTER)).rejects.toMatchObject({ name: 'NodeError', problem: 'NO_ANSWER' })
    expect(alone.alerts.map(({ kind }) => kind)).toEqual(['BAD_ANSWER', 'NO_ANSWER'])
    const both = createTestChain([liar, honest])
    expect(await both.logs(FILTER)).toMatchObject([{ blockNumber: 12n }])
    expect(both.alerts.map(({ kind }) => kind)).toEqual(['BAD_ANSWER'])
  })
})

test('logs are read again if the chain switches branches during the read', async () => {
  const node = await startNode({ branch: { from: 5, name: 'new' } })
  const old = toWireLog({ branch: undefined }, 12)
  node.logs = [toWireLog(node, 13)]
  let times = 0
  node.lies.eth_getLogs = (_, truth) => (times++ === 0 ? [old] : truth())
  const chain = createTestChain([node])
  expect(await chain.logs(FILTER)).toMatchObject([{ blockNumber: 13n }])
  expect(chain.alerts).toEqual([])
})

test('a node that has not reached the end of the range is not queried for logs', async () => {
  const [behind, ahead] = [await startNode({ head: 19 }), await startNode({ head: 20 })]
  ahead.logs = [toWireLog(ahead, 20)]
  const chain = createTestChain([behind, ahead])
  expect(await chain.logs(FILTER)).toHaveLength(1)
  expect(behind.calledMethods).not.toContain('eth_getLogs')
  await expect(createTestChain([behind]).logs(FILTER)).rejects.toMatchObject({ problem: 'BEHIND' })
  expect(chain.alerts).toEqual([])
})

describe('a log range that is too long', () => {
  const readRequestedRange = ([filter]: readonly unknown[]) => {
    const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
    return [Number(fromBlock), Number(toBlock)] as const
  }

  test.each([
    'query returned more than 10000 results',
    'block range is too wide',
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    'eth_getLogs is limited to a 10,000 range',
    'exceed maximum block range: 5000',
    'query exceeds max results 20000, retry with the range 1-2',
    'too many logs requested. Max logs per response is 20000.',
    'Block range limit exceeded',
    'query exceeds max block range 100000',
  ])('a log range is halved if the node refuses it: %s', async (message) => {
    const node = await startNode({ head: 2_000 })
    for (let number = 0; number <= 1_000; number += 50) node.logs.push(toWireLog(node, number))
    const ranges: (readonly [number, number])[] = []
    node.lies.eth_getLogs = (params, truth) => {
      const [from, to] = readRequestedRange(params)
      if (to - from >= 300) return new RpcError(-32005, message)
      ranges.push([from, to])
      return truth()
    }
    const logs = await createTestChain([node], { headAheadSecondsMax: 9_999 }).logs({
      ...FILTER,
      from: 1n,
      to: 1_000n,
    })
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: 20 }, (_, at) => 50 * (at + 1)),
    )
    // No gap, and no block twice.
    expect(ranges).toEqual([
      [1, 250],
      [251, 500],
      [501, 750],
      [751, 1_000],
    ])
  })

  test('a log range is halved if the response exceeds the size limit', async () => {
    const node = await startNode()
    node.logs = Array.from({ length: 11 }, (_, at) => toWireLog(node, 10 + at))
    const chain = createTestChain([node], { bytesMax: 1_600 })
    expect((await chain.logs(FILTER)).map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: 11 }, (_, at) => 10 + at),
    )
  })

  test('a log range is halved down to one block, whose refusal counts as a failure', async () => {
    const node = await startNode()
    const ranges: (readonly [number, number])[] = []
    node.lies.eth_getLogs = (params, truth) => {
      const [from, to] = readRequestedRange(params)
      ranges.push([from, to])
      return to > from || from === 13
        ? new RpcError(-32005, 'query returned more than 10000 results')
        : truth()
    }
    await expect(createTestChain([node]).logs(FILTER)).rejects.toMatchObject({ problem: 'NO_ANSWER' })
    expect(ranges.at(-1)).toEqual([13, 13])
    expect(ranges).toContainEqual([10, 10])
  })

  test('a log range is not halved because of a rate limit', async () => {
    const node = await startNode()
    node.lies.eth_getLogs = () =>
      new RpcError(-32005, 'rate limit exceeded: too many requests in this time range')
    await expect(createTestChain([node]).logs(FILTER)).rejects.toMatchObject({ problem: 'NO_ANSWER' })
    expect(node.calledMethods.filter((method) => method === 'eth_getLogs')).toHaveLength(1)
  })
})
