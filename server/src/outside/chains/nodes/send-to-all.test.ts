import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../../test/machine-speed.ts'
import { createTestChain, type FakeNode, RpcError, startNode, toHash } from './fake-node.testing.ts'

const RAW = '0x02f8'
const METHOD = 'eth_sendRawTransaction'
const TAKES = { [METHOD]: () => toHash('sent') }
const refuses = (message: string) => ({ lies: { [METHOD]: () => new RpcError(-32000, message) } })
const NO_FUNDS = refuses('insufficient funds for gas * price + value')
const SILENT: Partial<FakeNode> = {
  hijack: (_, body) => JSON.stringify(body).includes(METHOD),
}
const TIMEOUT_MS = timeLimit(300)

async function send(...nodes: readonly Partial<FakeNode>[]): Promise<string> {
  const started = await Promise.all(nodes.map((given) => startNode(given)))
  return createTestChain(started, { timeoutMs: TIMEOUT_MS }).send(RAW)
}

describe('the error message of a node', () => {
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
  ])('is classified as %s: %s', async (expected, message) => {
    expect(await send(refuses(message))).toBe(expected)
  })

  test.each(['txpool is full', 'intrinsic gas too low', 'nonce too high', 'invalid sender', ''])(
    'leaves the outcome unknown: %s',
    async (message) => {
      await expect(send(refuses(message))).rejects.toMatchObject({ name: 'NodeError' })
    },
  )
})

describe('sending a transaction to all nodes', () => {
  test('a transaction counts as sent if one node accepts it', async () => {
    const nodes = [
      await startNode(NO_FUNDS),
      await startNode({ lies: TAKES }),
      await startNode(refuses('txpool is full')),
    ]
    expect(await createTestChain(nodes).send(RAW)).toBe('taken')
    expect(nodes.map(({ calledMethods }) => calledMethods.includes(METHOD))).toEqual([true, true, true])
    expect(await send(NO_FUNDS, refuses('already known'))).toBe('known')
  })

  test('an accepted transaction does not wait for the other nodes', async () => {
    const nodes = [await startNode(SILENT), await startNode({ lies: TAKES })]
    // Waiting for it would take a minute.
    expect(await createTestChain(nodes, { timeoutMs: 60_000 }).send(RAW)).toBe('taken')
  })

  test('the outcome of a transaction is unknown if a node does not respond, whatever the others say', async () => {
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

  test('a node that is unreachable or on another chain has not received the transaction', async () => {
    expect(await send(NO_FUNDS, { chainId: 1, lies: TAKES })).toBe('no-funds')
    expect(await send(NO_FUNDS, { hijack: () => true })).toBe('no-funds')
    expect(await send(NO_FUNDS, refuses('transaction underpriced'))).toBe('underpriced')
    await expect(send({ chainId: 1, lies: TAKES })).rejects.toMatchObject({ name: 'NodeError' })
  })

  test('a transaction can be sent again after a lost response', async () => {
    const node = await startNode({ lies: TAKES })
    const chain = createTestChain([node])
    let isLost = true
    const taken: string[] = []
    node.lies[METHOD] = ([raw]) => {
      const isKnown = taken.includes(raw as string)
      taken.push(raw as string)
      return isKnown ? new RpcError(-32000, 'already known') : toHash('sent')
    }
    await chain.chainId()
    // The connection is reusable after two turns of the event loop.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    node.hijack = (response, body) => {
      if (!isLost) return false
      isLost = false
      taken.push((body as { params: readonly string[] }).params[0]!)
      return Boolean(response.destroy())
    }
    expect(await chain.send(RAW)).toBe('known')
  })
})
