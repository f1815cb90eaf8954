import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../../test/machine-speed.ts'
import { chainOf, type FakeNode, hashOf, RpcError, startNode } from './fake-node.testing.ts'

const RAW = '0x02f8'
const METHOD = 'eth_sendRawTransaction'
const TAKES = { [METHOD]: () => hashOf('sent') }
const refuses = (message: string) => ({ lies: { [METHOD]: () => new RpcError(-32000, message) } })
const NO_FUNDS = refuses('insufficient funds for gas * price + value')
const SILENT: Partial<FakeNode> = {
  hijack: (_, body) => JSON.stringify(body).includes(METHOD),
}
const TIMEOUT_MS = timeLimit(300)

async function send(...nodes: readonly Partial<FakeNode>[]): Promise<string> {
  const started = await Promise.all(nodes.map((given) => startNode(given)))
  return chainOf(started, { timeoutMs: TIMEOUT_MS }).send(RAW)
}

describe('the meaning of an error message', () => {
  test.each([
    ['known', 'already known'],
    ['known', 'AlreadyKnown'],
    ['known', 'known transaction: 0x12'],
    ['known', 'Known transaction'],
    ['known', 'transaction already imported'],
    ['known', 'existing tx with same hash'],
    ['nonce-used', 'nonce too low: next nonce 5, tx nonce 3'],
    ['nonce-used', 'nonce too low'],
    ['nonce-used', 'OldNonce, Current nonce: 5, nonce of rejected tx: 3'],
    ['underpriced', 'replacement transaction underpriced'],
    ['underpriced', 'transaction underpriced: tip needed 25000000000, tip permitted 1'],
    ['underpriced', 'ReplacementNotAllowed'],
    ['underpriced', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2'],
    ['underpriced', 'FeeTooLowToCompete'],
    ['underpriced', 'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1, baseFee: 2'],
    ['underpriced', 'Gas price below configured minimum gas price'],
    ['no-funds', 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1'],
    ['no-funds', 'Insufficient funds for gas * price + value'],
    ['no-funds', 'InsufficientFunds, Account balance: 0, cumulative cost: 1'],
    ['no-funds', 'Upfront cost exceeds account balance (transaction up-front cost 0x5 exceeds)'],
  ])('%s: %s', async (expected, message) => {
    expect(await send(refuses(message))).toBe(expected)
  })

  test.each(['txpool is full', 'intrinsic gas too low', 'nonce too high', 'invalid sender', ''])(
    'unknown: %s',
    async (message) => {
      await expect(send(refuses(message))).rejects.toMatchObject({ name: 'NodeError' })
    },
  )
})

describe('a transaction is sent to all nodes', () => {
  test('and one node that accepts it is enough', async () => {
    const nodes = [
      await startNode(NO_FUNDS),
      await startNode({ lies: TAKES }),
      await startNode(refuses('txpool is full')),
    ]
    expect(await chainOf(nodes).send(RAW)).toBe('taken')
    expect(nodes.map(({ calledMethods }) => calledMethods.includes(METHOD))).toEqual([true, true, true])
    expect(await send(NO_FUNDS, refuses('already known'))).toBe('known')
  })

  test('and the result does not wait for the other nodes then', async () => {
    const nodes = [await startNode(SILENT), await startNode({ lies: TAKES })]
    // Waiting for it would take a minute.
    expect(await chainOf(nodes, { timeoutMs: 60_000 }).send(RAW)).toBe('taken')
  })

  test('and a node without a response may have accepted it, regardless of the other responses', async () => {
    await expect(send(NO_FUNDS, SILENT)).rejects.toMatchObject({ name: 'NodeError', problem: 'NO_ANSWER' })
    await expect(send(refuses('transaction underpriced'), SILENT)).rejects.toMatchObject({
      name: 'NodeError',
    })
    await expect(send(NO_FUNDS, refuses('txpool is full'))).rejects.toMatchObject({ name: 'NodeError' })
    await expect(send(NO_FUNDS, { lies: { [METHOD]: () => 'yes' } })).rejects.toMatchObject({
      name: 'NodeError',
    })
    expect(await send(SILENT, refuses('nonce too low'))).toBe('nonce-used')
  })

  test('but a node on another chain, or one that cannot be reached, did not get it', async () => {
    expect(await send(NO_FUNDS, { chainId: 1, lies: TAKES })).toBe('no-funds')
    expect(await send(NO_FUNDS, { hijack: () => true })).toBe('no-funds')
    expect(await send(NO_FUNDS, refuses('transaction underpriced'))).toBe('underpriced')
    await expect(send({ chainId: 1, lies: TAKES })).rejects.toMatchObject({ name: 'NodeError' })
  })

  test('and the same bytes may be sent again after a lost response', async () => {
    const node = await startNode({ lies: TAKES })
    const chain = chainOf([node])
    let isLost = true
    const taken: string[] = []
    node.lies[METHOD] = ([raw]) => {
      const isKnown = taken.includes(raw as string)
      taken.push(raw as string)
      return isKnown ? new RpcError(-32000, 'already known') : hashOf('sent')
    }
    await chain.chainId()
    // Its connection can be used again after two turns of the loop.
    for (let n = 0; n < 2; n++) await new Promise((resolve) => setImmediate(resolve))
    node.hijack = (response, body) => {
      if (!isLost) return false
      isLost = false
      taken.push((body as { params: readonly string[] }).params[0]!)
      return Boolean(response.destroy())
    }
    expect(await chain.send(RAW)).toBe('known')
  })
})
