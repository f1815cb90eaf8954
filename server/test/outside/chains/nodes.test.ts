import { encodeFunctionData, erc20Abi, getAddress, type Hex, keccak256, parseGwei } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOCAL_CHAIN_ID, type LocalChain } from '../../../../contracts/local-chain.ts'
import type { ChainNodes } from '../../../src/kernel/ports/chain-nodes.ts'
import { type ChainNodesOptions, createChainNodes } from '../../../src/outside/chains/nodes/chain-nodes.ts'
import type { NodeAlert } from '../../../src/outside/chains/nodes/node.ts'
import { chainAbsent, openChain } from '../../worlds/chain/chain.testing.ts'

const TRANSFER = keccak256(Buffer.from('Transfer(address,address,uint256)'))
const TRANSFER_GAS = 100_000n

const toLowerHex = (text: Hex) => text.toLowerCase() as Hex
const toTopic = (address: Hex): Hex => `0x${toLowerHex(address).slice(2).padStart(64, '0')}`

let chain: LocalChain
let otherChain: LocalChain

beforeAll(async () => {
  if (chainAbsent) return
  ;[chain, otherChain] = await Promise.all([openChain(), openChain()])
})
afterAll(async () => {
  await Promise.all([chain?.close(), otherChain?.close()])
})

function createNodes(
  rpcUrls: readonly string[],
  overrides: Partial<ChainNodesOptions> = {},
): ChainNodes & { readonly alerts: NodeAlert[] } {
  const alerts: NodeAlert[] = []
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const onAlert = (alert: NodeAlert) => alerts.push(alert)
  const options = {
    rpcUrls,
    agreement: 1,
    chainId: LOCAL_CHAIN_ID,
    clock: () => new Date(),
    log,
    onAlert,
  } as const
  return { ...createChainNodes({ ...options, ...overrides }), alerts }
}

const encodeTransfer = (to: Hex, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })

/** Signs a token transfer from a numbered account without sending it. */
function signTransfer(from: number, nonce: bigint, to: Hex, amount: bigint, maxGwei = '50'): Promise<Hex> {
  return chain.account(from).signTransaction({
    chainId: LOCAL_CHAIN_ID,
    type: 'eip1559',
    nonce: Number(nonce),
    to: chain.token,
    data: encodeTransfer(to, amount),
    gas: TRANSFER_GAS,
    maxFeePerGas: parseGwei(maxGwei),
    maxPriorityFeePerGas: parseGwei('1'),
  })
}

describe.skipIf(chainAbsent)('a chain node', () => {
  test('returns the head, blocks, coin balances and code of its chain', async () => {
    const nodes = createNodes([chain.url])
    await chain.mine(3)
    const { number, hash, timestamp } = await chain.block()
    const head = await nodes.head()
    expect(head).toMatchObject({ number, hash, timestamp })
    expect((await nodes.block(number - 1n))!.hash).toBe(head.parentHash)
    expect(await nodes.block(number + 1n)).toBeUndefined()
    expect(await nodes.genesis()).toBe((await nodes.block(0n))!.hash)
    expect(await nodes.chainId()).toBe(LOCAL_CHAIN_ID)
    const holder = chain.account(0).address
    expect(await nodes.nativeBalance(holder)).toBe(await chain.coinOf(holder))
    expect((await nodes.code(chain.token)).length).toBeGreaterThan(100)
    expect(await nodes.code(holder)).toBe('0x')
    const fees = await nodes.fees()
    expect(fees.baseFeePerGas).toBe(head.baseFeePerGas)
    expect(fees.priorityFeePerGas).toBeGreaterThan(0n)
  })

  test('returns transfers as logs, and the same logs in their receipts', async () => {
    const nodes = createNodes([chain.url])
    const payee = chain.account(3).address
    const from = (await nodes.head()).number + 1n
    const hashes = [
      await chain.mint(payee, 7n),
      await chain.mint(chain.account(4).address, 8n),
      await chain.mint(payee, 9n),
    ]
    await chain.mint(payee, 5n, chain.plainToken)
    const filter = { address: chain.token, topics: [TRANSFER, null, toTopic(payee)], from, to: from + 3n }
    const logs = await nodes.logs(filter)
    expect(logs.map(({ transactionHash, data }) => [transactionHash, BigInt(data)])).toEqual([
      [hashes[0], 7n],
      [hashes[2], 9n],
    ])
    const receipts = await nodes.receipts(hashes)
    expect([...receipts.keys()]).toEqual(hashes)
    expect(receipts.get(hashes[2]!)).toMatchObject({
      ...{ status: 'success', from: toLowerHex(chain.account(9).address), to: toLowerHex(chain.token) },
      logs: [logs[1]],
    })
    expect(await nodes.receipt(keccak256('0x'))).toBeUndefined()
    await expect(nodes.logs({ ...filter, to: from + 100n })).rejects.toMatchObject({ problem: 'BEHIND' })
    expect(nodes.alerts).toEqual([])
  })

  test('returns the reason why a contract refuses a call', async () => {
    const nodes = createNodes([chain.url])
    const call = {
      from: chain.account(5).address,
      to: chain.token,
      data: encodeTransfer(chain.account(6).address, 10n ** 30n),
    }
    for (const attempt of [() => nodes.call(call), () => nodes.estimateGas(call)]) {
      const reverted = await attempt().catch((error: unknown) => error)
      expect(reverted).toMatchObject({ name: 'CallReverted', message: expect.stringMatching(/revert/) })
      // The selector of Error(string), followed by the text.
      expect((reverted as { readonly data: Hex }).data).toMatch(/^0x08c379a0[0-9a-f]{128,}$/)
    }
    await chain.mint(call.from, 5n)
    const small = { ...call, data: encodeTransfer(chain.account(6).address, 5n) }
    expect(BigInt(await nodes.call(small))).toBe(1n)
    const gas = await nodes.estimateGas(small)
    expect(gas > 21_000n && gas < TRANSFER_GAS).toBe(true)
  })

  test('executes a transaction once even if it is sent twice', async () => {
    const nodes = createNodes([chain.url])
    const [from, payee] = [7, chain.account(8).address]
    const sender = chain.account(from).address
    await chain.mint(sender, 100n)
    await chain.setAutomine(false)
    try {
      const nonce = await nodes.transactionCount(sender, 'latest')
      const raw = await signTransfer(from, nonce, payee, 3n)
      expect(await nodes.send(raw)).toBe('taken')
      expect(await nodes.send(raw)).toBe('known')
      expect(await nodes.receipt(keccak256(raw))).toBeUndefined()
      expect(await nodes.transactionCount(sender, 'latest')).toBe(nonce)
      expect(await nodes.transactionCount(sender, 'pending')).toBe(nonce + 1n)
      expect(await nodes.send(await signTransfer(from, nonce, payee, 4n))).toBe('underpriced')
      await chain.mine()
      expect(await nodes.send(raw)).toBe('nonce-used')
      expect(await nodes.receipt(keccak256(raw))).toMatchObject({ status: 'success' })
      expect(await nodes.transactionCount(sender, 'latest')).toBe(nonce + 1n)
      expect(await nodes.send(await signTransfer(from, nonce + 1n, payee, 1n, '5000000000'))).toBe('no-funds')
      expect(await chain.balanceOf(chain.token, getAddress(payee))).toBe(3n)
    } finally {
      await chain.setAutomine(true)
    }
  })

  test('drops the receipt and the logs that a reorganization removes', async () => {
    const nodes = createNodes([chain.url])
    const hash = await chain.mint(chain.account(2).address, 11n)
    const { blockNumber, blockHash } = (await nodes.receipt(hash))!
    await chain.mine(2)
    await chain.reorg(3)
    expect(await nodes.receipt(hash)).toBeUndefined()
    expect((await nodes.block(blockNumber))!.hash).not.toBe(blockHash)
    const filter = { address: chain.token, topics: [TRANSFER], from: blockNumber, to: blockNumber }
    expect(await nodes.logs(filter)).toEqual([])
  })

  test('is replaced by another node when it has stopped', async () => {
    const first = await openChain()
    const nodes = createNodes([first.url, chain.url])
    await first.mine(20)
    expect((await nodes.head()).hash).toBe((await first.block()).hash)
    await first.close()
    expect((await nodes.head()).hash).toBe((await chain.block()).hash)
    await expect(createNodes([first.url]).head()).rejects.toMatchObject({ problem: 'NO_ANSWER' })
  })

  test('never agrees with a node of another chain that has the same id', async () => {
    await Promise.all([chain.mint(chain.account(1).address, 1n), chain.mine(10), otherChain.mine(40)])
    const nodes = createNodes([chain.url, otherChain.url], { agreement: 2 })
    const { number } = await chain.block()
    await expect(nodes.head()).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    await expect(nodes.block(number)).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    const filter = { address: chain.token, topics: [TRANSFER], from: 1n, to: number }
    await expect(nodes.logs(filter)).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    await expect(nodes.nativeBalance(chain.account(0).address)).rejects.toMatchObject({
      problem: 'DISAGREEMENT',
    })
    expect(nodes.alerts.map(({ kind }) => kind)).toEqual(['DISAGREEMENT'])
    const equalNodes = createNodes([chain.url, chain.url], { agreement: 2 })
    expect((await equalNodes.head()).number).toBe(number)
    expect((await equalNodes.logs(filter)).length).toBeGreaterThan(5)
  })

  test('is refused if it belongs to another chain', async () => {
    await expect(createNodes([chain.url], { chainId: 1 }).chainId()).rejects.toMatchObject({
      problem: 'OTHER_CHAIN',
    })
  })
})
