import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../../test/machine-speed.ts'
import { createTestChain, type FakeNode, RpcError, startNode } from './fake-node.testing.ts'

const TIMEOUT_MS = timeLimit(300)
const BYTES_MAX = 100_000

/** Failures of a node, and whether they raise an alert even if another node responds. */
const BAD: Readonly<Record<string, { readonly state: Partial<FakeNode>; readonly isAlert: boolean }>> = {
  'never responds': { state: { hijack: () => true }, isAlert: false },
  'closes the connection': {
    state: { hijack: (response) => Boolean(response.destroy()) },
    isAlert: false,
  },
  'closes the connection during its response': {
    state: {
      hijack: (response) => {
        response.writeHead(200, { 'Content-Length': 100 })
        return response.write('{"json', () => response.destroy())
      },
    },
    isAlert: false,
  },
  'sends a page instead of JSON': {
    state: { hijack: (response) => Boolean(response.end('<html>')) },
    isAlert: true,
  },
  'sends the id of another request': {
    state: { hijack: (response) => Boolean(response.end('{"jsonrpc":"2.0","id":77,"result":"0x2105"}')) },
    isAlert: true,
  },
  'sends a list': { state: { hijack: (response) => Boolean(response.end('[]')) }, isAlert: true },
  'sends null': { state: { hijack: (response) => Boolean(response.end('null')) }, isAlert: true },
  'sends neither a result nor an error': {
    state: { hijack: (response) => Boolean(response.end('{"jsonrpc":"2.0","id":0}')) },
    isAlert: true,
  },
  'sends a response that is too long': {
    state: { hijack: (response) => Boolean(response.end(`"${'x'.repeat(BYTES_MAX)}"`)) },
    isAlert: true,
  },
  'sends JSON that is nested too deeply': {
    state: { hijack: (response) => Boolean(response.end('['.repeat(50))) },
    isAlert: true,
  },
  'returns 500': {
    state: { hijack: (response) => Boolean(response.writeHead(500).end('<html>')) },
    isAlert: false,
  },
  'returns 503 with a result': {
    state: {
      hijack: (response) =>
        Boolean(response.writeHead(503).end('{"jsonrpc":"2.0","id":0,"result":"0x2105"}')),
    },
    isAlert: false,
  },
  'returns 429': {
    state: { hijack: (response) => Boolean(response.writeHead(429).end('{}')) },
    isAlert: false,
  },
  'reports a rate limit as an error': {
    state: {
      lies: {
        eth_blockNumber: () => new RpcError(-32005, 'too many requests'),
        eth_getBlockByNumber: () => new RpcError(-32005, 'rate limit'),
      },
    },
    isAlert: false,
  },
  'sends a string as a block': { state: { lies: { eth_getBlockByNumber: () => 'block' } }, isAlert: true },
  'sends no chain id': { state: { lies: { eth_chainId: () => null } }, isAlert: true },
}

describe.each(Object.entries(BAD))('a node that %s', (_, { state, isAlert }) => {
  test('is skipped if another node responds, and gives no result on its own', async () => {
    const bad = await startNode({ head: 100, ...state })
    const good = await startNode({ head: 99 })
    const bounds = { timeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX }
    const chain = createTestChain([bad, good], bounds)
    expect((await chain.head()).number).toBe(99n)
    expect(bad.requests).toBeGreaterThan(0)
    expect(chain.alerts.map(({ kind }) => kind)).toEqual(isAlert ? ['BAD_ANSWER'] : [])
    const alone = createTestChain([bad], bounds)
    await expect(alone.head()).rejects.toMatchObject({ name: 'NodeError', problem: 'NO_ANSWER' })
    await expect(alone.send('0x02')).rejects.toMatchObject({ name: 'NodeError' })
    expect(alone.alerts.map(({ kind }) => kind)).toContain('NO_ANSWER')
    expect(JSON.stringify([alone.logged, alone.alerts, chain.logged])).not.toContain('key-of-the-operator')
  })
})

test('a response to another request is rejected, even if it is valid', async () => {
  const node = await startNode()
  const chain = createTestChain([node])
  await chain.chainId()
  node.hijack = (response) => Boolean(response.end('{"jsonrpc":"2.0","id":1,"result":"0x5"}'))
  await expect(chain.nativeBalance('0x00')).rejects.toMatchObject({ problem: 'NO_ANSWER' })
  const reverted = '"error":{"code":3,"message":"execution reverted"}'
  node.hijack = undefined
  await chain.chainId()
  node.hijack = (response) => Boolean(response.end(`{"jsonrpc":"2.0","id":1,${reverted}}`))
  await expect(chain.call({ to: '0x00', data: '0x' })).rejects.toMatchObject({ name: 'NodeError' })
  node.hijack = undefined
  await chain.chainId()
  node.hijack = (response) => Boolean(response.end('{"jsonrpc":"2.0","id":0,"result":"0x5"}'))
  expect(await chain.nativeBalance('0x00')).toBe(5n)
})

test('a node that does not report its chain is not queried for anything else', async () => {
  // Some providers use this message if the operator has not paid their bill.
  const refuse = () => new RpcError(-32000, 'insufficient balance')
  const node = await startNode({ lies: { eth_chainId: refuse } })
  const chain = createTestChain([node])
  const call = { to: '0x00', data: '0x' } as const
  for (const query of [
    () => chain.chainId(),
    () => chain.head(),
    () => chain.receipts([`0x${'00'.repeat(32)}`]),
    () => chain.call(call),
    () => chain.send('0x02'),
  ])
    await expect(query(), String(query)).rejects.toMatchObject({ name: 'NodeError', problem: 'NO_ANSWER' })
  const good = await startNode({ head: 99 })
  expect((await createTestChain([node, good]).head()).number).toBe(99n)
})

test('a node that has failed gets a cooldown, twice as long each time, up to a minute', async () => {
  const [first, second] = [await startNode({ head: 100 }), await startNode({ head: 99 })]
  const chain = createTestChain([first, second])
  const head = async () => Number((await chain.head()).number)
  first.lies.eth_getBlockByNumber = () => new RpcError(-32000, 'busy')
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(await head()).toBe(99)
    const before = first.requests
    chain.advance(seconds - 0.01)
    expect(await head()).toBe(99)
    expect(first.requests).toBe(before)
    chain.advance(0.02)
  }
  first.lies = {}
  expect(await head()).toBe(100)
  // It responded successfully, so the next cooldown is short again.
  first.lies.eth_getBlockByNumber = () => new RpcError(-32000, 'busy')
  expect(await head()).toBe(99)
  first.lies = {}
  chain.advance(1.01)
  expect(await head()).toBe(100)
})

test('queries that fail at the same time count as one failure', async () => {
  const [first, second] = [await startNode({ head: 100 }), await startNode({ head: 99 })]
  const chain = createTestChain([first, second])
  first.lies.eth_getBlockByNumber = () => new RpcError(-32000, 'busy')
  await Promise.all(Array.from({ length: 20 }, () => chain.head()))
  first.lies = {}
  chain.advance(1.01)
  expect((await chain.head()).number).toBe(100n)
})

test('a node in cooldown is queried if no other node responds', async () => {
  const [first, second] = [await startNode({ head: 100 }), await startNode({ head: 99 })]
  const chain = createTestChain([first, second])
  first.lies.eth_getBlockByNumber = () => new RpcError(-32000, 'busy')
  await chain.head()
  first.lies = {}
  await second.stop()
  expect((await chain.head()).number).toBe(100n)
})

test('the same alert is raised at most once a minute', async () => {
  const node = await startNode({ lies: { eth_getBlockByNumber: () => 'block' } })
  const chain = createTestChain([node])
  for (let time = 0; time < 3; time++) await chain.head().catch(() => {})
  expect(chain.alerts.map(({ kind }) => kind)).toEqual(['BAD_ANSWER', 'NO_ANSWER'])
  chain.advance(61)
  await chain.head().catch(() => {})
  expect(chain.alerts).toHaveLength(4)
})
