import { encodeFunctionData, erc20Abi, getAddress, type Hex, keccak256, parseGwei } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOCAL_CHAIN_ID, type LocalChain } from '../../../../contracts/local-chain.ts'
import type { ChainNodes } from '../../../src/kernel/ports/chain-nodes.ts'
import { type ChainNodesOptions, createChainNodes } from '../../../src/outside/chains/nodes/chain-nodes.ts'
import type { NodeAlert } from '../../../src/outside/chains/nodes/node.ts'
import { chainAbsent, openChain } from '../../worlds/chain/chain.testing.ts'

const TRANSFER = keccak256(Buffer.from('Transfer(address,address,uint256)'))
const TRANSFER_GAS = 100_000n

const lower = (text: Hex) => text.toLowerCase() as Hex
const word = (address: Hex): Hex => `0x${lower(address).slice(2).padStart(64, '0')}`

let chain: LocalChain
let other: LocalChain

beforeAll(async () => {
  if (chainAbsent) return
  ;[chain, other] = await Promise.all([openChain(), openChain()])
})
afterAll(async () => {
  await Promise.all([chain?.close(), other?.close()])
})

function nodesOf(
  rpcs: readonly string[],
  given: Partial<ChainNodesOptions> = {},
): ChainNodes & { readonly alerts: NodeAlert[] } {
  const alerts: NodeAlert[] = []
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const onAlert = (alert: NodeAlert) => alerts.push(alert)
  const options = {
    rpcs,
    agreement: 1,
    chainId: LOCAL_CHAIN_ID,
    clock: () => new Date(),
    log,
    onAlert,
  } as const
  return { ...createChainNodes({ ...options, ...given }), alerts }
}

const transferData = (to: Hex, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })

/** A signed transfer of tokens from a numbered account, without sending it. */
function signTransfer(from: number, nonce: bigint, to: Hex, amount: bigint, maxGwei = '50'): Promise<Hex> {
  return chain.account(from).signTransaction({
    chainId: LOCAL_CHAIN_ID,
    type: 'eip1559',
    nonce: Number(nonce),
    to: chain.token,
    data: transferData(to, amount),
    gas: TRANSFER_GAS,
    maxFeePerGas: parseGwei(maxGwei),
    maxPriorityFeePerGas: parseGwei('1'),
  })
}

describe.skipIf(chainAbsent)('a real node', () => {
  test("gives the chain's head, blocks, coin and code", async () => {
    const nodes = nodesOf([chain.url])
    await chain.mine(3)
    const { number, hash, timestamp } = await chain.block()
    const head = await nodes.head()
    expect(head).toMatchObject({ number, hash, timestamp })
    expect((await nodes.block(number - 1n))!.hash).toBe(head.parentHash)
    expect(await nodes.block(number + 1n)).toBeUndefined()
    expect(await nodes.genesis()).toBe((await nodes.block(0n))!.hash)
    expect(await nodes.chainId()).toBe(LOCAL_CHAIN_ID)
    const holder = chain.account(0).address
    expect(await nodes.coin(holder)).toBe(await chain.coinOf(holder))
    expect((await nodes.code(chain.token)).length).toBeGreaterThan(100)
    expect(await nodes.code(holder)).toBe('0x')
    const fees = await nodes.fees()
    expect(fees.baseFeePerGas).toBe(head.baseFeePerGas)
    expect(fees.priorityFeePerGas).toBeGreaterThan(0n)
  })

  test('gives transfers as logs, and equal ones in their receipts', async () => {
    const nodes = nodesOf([chain.url])
    const payee = chain.account(3).address
    const from = (await nodes.head()).number + 1n
    const hashes = [
      await chain.mint(payee, 7n),
      await chain.mint(chain.account(4).address, 8n),
      await chain.mint(payee, 9n),
    ]
    await chain.mint(payee, 5n, chain.plainToken)
    const filter = { address: chain.token, topics: [TRANSFER, null, word(payee)], from, to: from + 3n }
    const logs = await nodes.logs(filter)
    expect(logs.map(({ transactionHash, data }) => [transactionHash, BigInt(data)])).toEqual([
      [hashes[0], 7n],
      [hashes[2], 9n],
    ])
    const receipts = await nodes.receipts(hashes)
    expect([...receipts.keys()]).toEqual(hashes)
    expect(receipts.get(hashes[2]!)).toMatchObject({
      ...{ status: 'success', from: lower(chain.account(9).address), to: lower(chain.token) },
      logs: [logs[1]],
    })
    expect(await nodes.receipt(keccak256('0x'))).toBeUndefined()
    await expect(nodes.logs({ ...filter, to: from + 100n })).rejects.toMatchObject({ problem: 'BEHIND' })
    expect(nodes.alerts).toEqual([])
  })

  test("gives the reason of a contract's refusal", async () => {
    const nodes = nodesOf([chain.url])
    const call = {
      from: chain.account(5).address,
      to: chain.token,
      data: transferData(chain.account(6).address, 10n ** 30n),
    }
    for (const ask of [() => nodes.call(call), () => nodes.estimateGas(call)]) {
      const reverted = await ask().catch((error: unknown) => error)
      expect(reverted).toMatchObject({ name: 'CallReverted', message: expect.stringMatching(/revert/) })
      // Error(string), and the text.
      expect((reverted as { readonly data: Hex }).data).toMatch(/^0x08c379a0[0-9a-f]{128,}$/)
    }
    await chain.mint(call.from, 5n)
    const small = { ...call, data: transferData(chain.account(6).address, 5n) }
    expect(BigInt(await nodes.call(small))).toBe(1n)
    const gas = await nodes.estimateGas(small)
    expect(gas > 21_000n && gas < TRANSFER_GAS).toBe(true)
  })

  test('counts a transaction that is sent twice once', async () => {
    const nodes = nodesOf([chain.url])
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

  test('drops a receipt and its logs in a reorganization', async () => {
    const nodes = nodesOf([chain.url])
    const hash = await chain.mint(chain.account(2).address, 11n)
    const { blockNumber, blockHash } = (await nodes.receipt(hash))!
    await chain.mine(2)
    await chain.reorg(3)
    expect(await nodes.receipt(hash)).toBeUndefined()
    expect((await nodes.block(blockNumber))!.hash).not.toBe(blockHash)
    const filter = { address: chain.token, topics: [TRANSFER], from: blockNumber, to: blockNumber }
    expect(await nodes.logs(filter)).toEqual([])
  })

  test('is replaced by another one when it has stopped', async () => {
    const first = await openChain()
    const nodes = nodesOf([first.url, chain.url])
    await first.mine(20)
    expect((await nodes.head()).hash).toBe((await first.block()).hash)
    await first.close()
    expect((await nodes.head()).hash).toBe((await chain.block()).hash)
    await expect(nodesOf([first.url]).head()).rejects.toMatchObject({ problem: 'NO_ANSWER' })
  })

  test('never agrees with a node on another chain of the same id', async () => {
    await Promise.all([chain.mint(chain.account(1).address, 1n), chain.mine(10), other.mine(40)])
    const nodes = nodesOf([chain.url, other.url], { agreement: 2 })
    const { number } = await chain.block()
    await expect(nodes.head()).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    await expect(nodes.block(number)).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    const filter = { address: chain.token, topics: [TRANSFER], from: 1n, to: number }
    await expect(nodes.logs(filter)).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    await expect(nodes.coin(chain.account(0).address)).rejects.toMatchObject({ problem: 'DISAGREEMENT' })
    expect(nodes.alerts.map(({ kind }) => kind)).toEqual(['DISAGREEMENT'])
    const alike = nodesOf([chain.url, chain.url], { agreement: 2 })
    expect((await alike.head()).number).toBe(number)
    expect((await alike.logs(filter)).length).toBeGreaterThan(5)
  })

  test('is refused if it belongs to another chain', async () => {
    await expect(nodesOf([chain.url], { chainId: 1 }).chainId()).rejects.toMatchObject({
      problem: 'OTHER_CHAIN',
    })
  })
})
