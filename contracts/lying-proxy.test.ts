import { once } from 'node:events'
import { connect } from 'node:net'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chainAbsent, openChain } from '../server/test/worlds/chain/chain.testing.ts'
import {
  delayed,
  held,
  type LyingProxy,
  openLyingProxy,
} from '../server/test/worlds/chain/lying-proxy.testing.ts'
import type { LocalChain } from './local-chain.ts'
import { RpcError, rpcBatch, rpcCall } from './rpc.ts'

describe.skipIf(chainAbsent)('a proxy that lies', () => {
  let chain: LocalChain
  let proxy: LyingProxy
  beforeAll(async () => {
    chain = await openChain()
    await chain.mint(chain.account(0).address, 100n)
    await chain.transfer(0, chain.account(1).address, 7n)
    await chain.mine(60)
  })
  afterAll(() => chain.close())
  beforeEach(async () => {
    proxy = await openLyingProxy(chain.url)
  })
  afterEach(() => proxy.close())

  const ask = (method: string, params: readonly unknown[] = []) => rpcCall(proxy.url, method, params)
  const FILTER = [{ fromBlock: '0x0', toBlock: 'latest' }]
  interface Log {
    readonly address: string
    readonly data: Hex
    readonly transactionHash: Hex
  }
  const logs = () => ask('eth_getLogs', FILTER) as Promise<Log[]>
  const raw = (body: string) =>
    fetch(proxy.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  const CHAIN_ID = '{"jsonrpc":"2.0","id":"seven","method":"eth_chainId"}'

  test('is honest until it is set to lie, and again afterwards', async () => {
    expect(await ask('eth_chainId')).toBe('0x7a69')
    expect(await logs()).toEqual(await chain.rpc('eth_getLogs', FILTER))
    await expect(ask('eth_noSuchThing')).rejects.toMatchObject({ code: -32601 })
    expect(await (await raw(CHAIN_ID)).json()).toEqual({ jsonrpc: '2.0', id: 'seven', result: '0x7a69' })
    proxy.lie('eth_chainId', 'other chain')
    proxy.lie('eth_getLogs', 'no logs')
    expect([await ask('eth_chainId'), await logs()]).toEqual(['0x1', []])
    proxy.honest('eth_chainId')
    expect([await ask('eth_chainId'), await logs()]).toEqual(['0x7a69', []])
    proxy.honest()
    expect(await logs()).toHaveLength(2)
    expect(proxy.calls('eth_getLogs')).toHaveLength(4)
    expect(proxy.calls('eth_getLogs')[0]).toEqual({ method: 'eth_getLogs', params: FILTER })
    expect(proxy.calls()).toHaveLength(9)
  })

  test('lies as often as it is set to, and about everything else under *', async () => {
    proxy.lie('eth_chainId', 'other chain', 2)
    proxy.lie('*', 'limit exceeded')
    const asked = [await ask('eth_chainId'), await ask('eth_chainId'), await ask('eth_chainId')]
    expect(asked).toEqual(['0x1', '0x1', '0x7a69'])
    await expect(ask('eth_blockNumber')).rejects.toMatchObject({ code: -32005 })
  })

  test('an old head is old by number and by name', async () => {
    const { number } = await chain.block()
    proxy.lie('eth_blockNumber', 'old head')
    proxy.lie('eth_getBlockByNumber', 'old head')
    const old = `0x${(number - 50n).toString(16)}`
    expect(await ask('eth_blockNumber')).toBe(old)
    expect(await ask('eth_getBlockByNumber', ['latest', false])).toMatchObject({ number: old })
    expect(await ask('eth_getBlockByNumber', ['0x2', false])).toMatchObject({ number: '0x2' })
  })

  test('logs are missing, foreign, made up, inflated, repeated', async () => {
    const truth = await logs()
    expect(truth.map(({ data }) => BigInt(data))).toEqual([100n, 7n])
    proxy.lie('eth_getLogs', 'missing log')
    expect(await logs()).toEqual(truth.slice(0, 1))
    proxy.lie('eth_getLogs', 'foreign logs')
    expect((await logs()).map(({ address }) => address === chain.token)).toEqual([false, false])
    proxy.lie('eth_getLogs', 'made-up logs')
    const made = await logs()
    expect(made.slice(0, 2)).toEqual(truth)
    for (const { transactionHash } of made.slice(2)) {
      expect(transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(await ask('eth_getTransactionReceipt', [transactionHash])).toBeNull()
    }
    proxy.lie('eth_getLogs', 'inflated logs')
    expect(BigInt((await logs())[1]!.data)).toBe(2n ** 256n - 1n)
    proxy.lie('eth_getLogs', 'repeated logs')
    expect(await logs()).toEqual([...truth, ...truth])
  })

  test('a huge answer is a hundred megabytes', async () => {
    proxy.lie('eth_chainId', 'huge')
    const response = await raw(CHAIN_ID)
    let bytes = 0
    for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length
    expect(bytes).toBeGreaterThan(100 * 1024 * 1024)
  })

  test('one that is silent neither answers nor asks; one that withholds has asked', async () => {
    const to = '0x00000000000000000000000000000000c0ffee01'
    const send = [{ from: chain.account(0).address, to, value: '0x1' }]
    const unanswered = async () => {
      const arrival = proxy.next('eth_sendTransactionSync')
      const answer = { came: false }
      ask('eth_sendTransactionSync', send)
        .catch(() => {})
        .finally(() => {
          answer.came = true
        })
      await arrival
      return answer
    }
    proxy.lie('eth_sendTransactionSync', 'silent')
    const silent = await unanswered()
    expect([await ask('eth_getBalance', [to, 'latest']), silent.came]).toEqual(['0x0', false])
    proxy.lie('eth_sendTransactionSync', 'answer withheld')
    const withheld = await unanswered()
    await expect.poll(() => chain.coinOf(to)).toBe(1n)
    expect([await ask('eth_getBalance', [to, 'latest']), silent.came, withheld.came]).toEqual([
      '0x1',
      false,
      false,
    ])
  })

  test('the connection closes before the node hears of the call, or after', async () => {
    const to = '0x00000000000000000000000000000000c0ffee02'
    const send = [{ from: chain.account(0).address, to, value: '0x1' }]
    proxy.lie('eth_sendTransactionSync', 'closed')
    await expect(ask('eth_sendTransactionSync', send)).rejects.toThrow()
    expect(await chain.coinOf(to)).toBe(0n)
    proxy.lie('eth_sendTransactionSync', 'answer lost')
    await expect(ask('eth_sendTransactionSync', send)).rejects.toThrow()
    expect(await chain.coinOf(to)).toBe(1n)
  })

  test('answers that are no answers', async () => {
    const answered = async () => {
      const response = await raw(CHAIN_ID)
      return [response.status, await response.text()]
    }
    proxy.lie('eth_chainId', 'not JSON')
    expect(await answered()).toEqual([200, '<html>Bad gateway</html>'])
    proxy.lie('eth_chainId', 'not an answer')
    expect(await answered()).toEqual([200, '{"hello":[]}'])
    proxy.lie('eth_chainId', 'null')
    expect(await ask('eth_chainId')).toBeNull()
    proxy.lie('eth_chainId', 'rate limit')
    expect(await answered()).toEqual([429, 'Too many requests'])
    proxy.lie('eth_chainId', 'server error')
    expect(await answered()).toEqual([503, ''])
    proxy.lie('eth_chainId', 'limit exceeded')
    await expect(ask('eth_chainId')).rejects.toEqual(new RpcError(-32005, 'limit exceeded', undefined))
    proxy.lie('eth_chainId', 'internal error')
    await expect(ask('eth_chainId')).rejects.toMatchObject({ code: -32603 })
  })

  test('in a batch each call has its own answer, and one spoils all', async () => {
    const calls = ['eth_chainId', 'eth_blockNumber', 'net_version'].map((method) => ({ method, params: [] }))
    proxy.lie('eth_chainId', 'other chain')
    expect(await rpcBatch(proxy.url, calls)).toEqual(['0x1', await chain.rpc('eth_blockNumber'), '31337'])
    proxy.lie('eth_blockNumber', 'closed')
    await expect(rpcBatch(proxy.url, calls)).rejects.toThrow()
  })

  test('the truth comes late, or when it is released', async () => {
    const { lie, release } = held()
    proxy.lie('eth_chainId', lie)
    const arrival = proxy.next('eth_chainId')
    let isAnswered = false
    const answer = ask('eth_chainId').finally(() => {
      isAnswered = true
    })
    await arrival
    expect(await ask('net_version')).toBe('31337')
    expect(isAnswered).toBe(false)
    release()
    expect(await answer).toBe('0x7a69')
    proxy.lie('eth_chainId', delayed(50))
    const begun = performance.now()
    expect(await ask('eth_chainId')).toBe('0x7a69')
    expect(performance.now() - begun).toBeGreaterThan(45)
  })

  test('a lie of the test itself sees the call and may change the question', async () => {
    const balances: unknown[] = []
    proxy.lie('eth_getBalance', async ({ params }, truth) => {
      balances.push(params[0])
      return truth([chain.account(0).address, '0x0'])
    })
    const asked = chain.account(5).address
    expect(await ask('eth_getBalance', [asked, 'latest'])).toBe(
      await chain.rpc('eth_getBalance', [chain.account(0).address, '0x0']),
    )
    expect(balances).toEqual([asked])
  })

  test('closing ends calls that wait', async () => {
    proxy.lie('eth_chainId', 'silent')
    const waiting = ask('eth_chainId').catch((error: unknown) => error)
    await proxy.next('eth_chainId')
    await proxy.close()
    expect(await waiting).toBeInstanceOf(Error)
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
    proxy = await openLyingProxy(chain.url)
  })
})
