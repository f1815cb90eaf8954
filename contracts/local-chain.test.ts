import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { RailsFile } from '@countersign/contract/connectors/rails-file'
import type { JsonSchema } from '@countersign/contract/core/decode'
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { validator } from '../server/src/edge/http/request/validate.ts'
import { chainAbsent, openChain } from '../server/test/worlds/chain/chain.testing.ts'
import { compileContracts, rootFolder } from './compile.ts'
import { LOCAL_CHAIN_ID, type LocalChain } from './local-chain.ts'
import { RpcError, rpcCall } from './rpc.ts'

describe.skipIf(chainAbsent)('a chain for tests', () => {
  let chain: LocalChain
  let before: Hex
  beforeAll(async () => {
    chain = await openChain()
    before = await chain.snapshot()
  })
  afterEach(async () => {
    await chain.revert(before)
    before = await chain.snapshot()
    await chain.setAutomine(true)
  })
  afterAll(() => chain.close())

  const address = (account: number) => chain.account(account).address
  const balance = (account: number) => chain.balanceOf(chain.token, address(account))
  const receipt = (hash: Hex) =>
    chain.rpc('eth_getTransactionReceipt', [hash]) as Promise<{ blockNumber: Hex; blockHash: Hex } | null>
  const logs = (from: bigint) =>
    chain.rpc('eth_getLogs', [{ address: chain.token, fromBlock: `0x${from.toString(16)}` }]) as Promise<
      { transactionHash: Hex }[]
    >

  test('every chain has its contracts at the same addresses, in its first block', async () => {
    const other = await openChain({ automine: false })
    onTestFinished(() => other.close())
    expect(other.url).not.toBe(chain.url)
    for (const name of ['token', 'plainToken', 'multicall'] as const) {
      expect(other[name]).toBe(chain[name])
      expect(await other.rpc('eth_getCode', [other[name], '0x1'])).toMatch(/^0x[0-9a-f]{100}/)
      expect(await other.rpc('eth_getCode', [other[name], '0x0'])).toBe('0x')
    }
    expect((await other.block()).number).toBe(1n)
    expect(await chain.rpc('eth_chainId')).toBe(`0x${LOCAL_CHAIN_ID.toString(16)}`)
  })

  test('has the id that it is asked for', async () => {
    const other = await openChain({ chainId: 8453 })
    onTestFinished(() => other.close())
    expect(await other.rpc('eth_chainId')).toBe('0x2105')
  })

  test('a transaction that was sent is in a block; without automatic mining it waits', async () => {
    await chain.mint(address(0), 10n)
    expect(await balance(0)).toBe(10n)
    await chain.setAutomine(false)
    const { number } = await chain.block()
    const hash = await chain.transfer(0, address(1), 4n)
    expect(await receipt(hash)).toBeNull()
    expect(await balance(1)).toBe(0n)
    await chain.mine(3)
    expect((await receipt(hash))?.blockNumber).toBe(`0x${(number + 1n).toString(16)}`)
    expect([await balance(1), (await chain.block()).number]).toEqual([4n, number + 3n])
  })

  test('one that is reverted says why', async () => {
    await expect(chain.transfer(5, address(1), 1n)).rejects.toThrow('more than the balance')
    await chain.mint(address(5), 1n)
    await chain.freeze(address(5))
    await expect(chain.transfer(5, address(1), 1n)).rejects.toThrow('frozen')
  })

  test('blocks are as far apart as they are asked to be', async () => {
    const { timestamp } = await chain.block()
    await chain.mine(10, 60)
    expect((await chain.block()).timestamp - timestamp).toBeGreaterThanOrEqual(540n)
  })

  test('coins are sent and set', async () => {
    const nobody: Address = '0x00000000000000000000000000000000c0ffee00'
    await chain.sendCoin(nobody, 5n)
    expect(await chain.coinOf(nobody)).toBe(5n)
    await chain.setCoin(nobody, 10n ** 20n)
    expect(await chain.coinOf(nobody)).toBe(10n ** 20n)
    await chain.setCoin(nobody, 0n)
    expect(await chain.coinOf(nobody)).toBe(0n)
  })

  test('other contracts can be deployed', async () => {
    const { Token } = compileContracts()
    const other = await chain.deploy(Token, ['Strange Dollar', 'USDC', '7', 18])
    expect(other).not.toBe(chain.token.toLowerCase())
    await chain.mint(address(3), 2n, other)
    expect([await chain.balanceOf(other, address(3)), await balance(3)]).toEqual([2n, 0n])
  })

  test('a snapshot brings everything back, once', async () => {
    await chain.mint(address(0), 10n)
    const head = await chain.block()
    const snapshot = await chain.snapshot()
    const hash = await chain.transfer(0, address(1), 10n)
    await chain.mine(5)
    await chain.revert(snapshot)
    expect(await chain.block()).toEqual(head)
    expect([await balance(0), await balance(1), await receipt(hash)]).toEqual([10n, 0n, null])
    await expect(chain.revert(snapshot)).rejects.toThrow()
  })

  test('a reorganisation replaces blocks and forgets their transactions', async () => {
    await chain.mint(address(0), 10n)
    const kept = await chain.block()
    const first = await chain.transfer(0, address(1), 1n)
    const second = await chain.transfer(0, address(1), 2n)
    const head = await chain.block()
    expect((await logs(kept.number + 1n)).map(({ transactionHash }) => transactionHash)).toEqual([
      first,
      second,
    ])
    await chain.reorg(2)
    const after = await chain.block()
    expect(after.number).toBe(head.number)
    expect(after.hash).not.toBe(head.hash)
    expect([await balance(0), await balance(1)]).toEqual([10n, 0n])
    expect([await receipt(first), await receipt(second)]).toEqual([null, null])
    expect(await logs(kept.number + 1n)).toEqual([])
    expect(await chain.rpc('eth_getBlockByHash', [kept.hash, false])).toMatchObject({ hash: kept.hash })
  })

  test('a reorganisation can move a transaction to another block', async () => {
    await chain.mint(address(0), 10n)
    const { number } = await chain.block()
    const value = 3n
    const signed = await chain.account(0).signTransaction({
      type: 'eip1559',
      chainId: chain.chainId,
      nonce: Number(await chain.rpc('eth_getTransactionCount', [address(0), 'latest'])),
      to: address(7),
      value,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    })
    const had = await chain.coinOf(address(7))
    const hash = (await chain.rpc('eth_sendRawTransactionSync', [signed])) as { transactionHash: Hex }
    const was = await receipt(hash.transactionHash)
    await chain.mine(2)
    await chain.reorg(3, [[signed, 2]])
    const is = await receipt(hash.transactionHash)
    expect(is?.blockNumber).toBe(`0x${(number + 3n).toString(16)}`)
    expect(is?.blockHash).not.toBe(was?.blockHash)
    expect(await chain.coinOf(address(7))).toBe(had + value)
  })

  test('an error of the node has its code', async () => {
    const error: unknown = await chain.rpc('eth_noSuchThing').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RpcError)
    expect((error as RpcError).code).toBe(-32601)
  })
})

describe.skipIf(chainAbsent)('npm run chain', () => {
  test('goes on where it ended, and dies with its process', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-chain-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const member = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8')) as unknown
    const { child, lines } = await start(folder)
    const { url, faucet, token } = (await member('chain.json')) as {
      url: string
      faucet: { address: Address }
      token: Address
    }
    expect(lines.join('\n')).toContain(`RAILS_FILE=${join(folder, 'rails.json')} npm start`)
    const checked = validator(RailsFile as JsonSchema, 'body')(await member('rails.json'))
    expect(checked).toMatchObject({
      rails: [{ kind: 'evm', rpcs: [{ url }], tokens: [{ address: token }] }],
    })
    const [{ faucet: minter, ...inProduction }] = (
      (await member('rails.json')) as { rails: [{ faucet: string }] }
    ).rails
    expect(minter).toBe(faucet.address)
    expect(await member('rails-production.json')).toEqual({ rails: [inProduction] })
    const minted = (at: string) =>
      rpcCall(at, 'eth_getLogs', [{ address: token, fromBlock: '0x0' }]) as Promise<
        { topics: Hex[]; data: Hex }[]
      >
    const [log] = await minted(url)
    expect(log?.topics[2]?.slice(-40)).toBe(faucet.address.slice(2).toLowerCase())
    expect(BigInt(log!.data)).toBe(10_000_000_000_000n)

    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    await expect(rpcCall(url, 'eth_chainId')).rejects.toThrow()

    const again = await start(folder)
    const next = ((await member('chain.json')) as { url: string }).url
    expect(await minted(next)).toEqual([log])
    again.child.kill('SIGKILL')
    // The watcher shell notices that its parent was killed, and ends the chain.
    await expect.poll(() => rpcCall(next, 'eth_chainId').catch(() => 'gone')).toBe('gone')
  })

  test('gives an address of the chain that runs what it is asked to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-chain-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const payee = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
    const fund = (...options: string[]) => ran(['fund', payee, ...options, '--dir', folder])
    expect((await fund('--coin', '1')).said).toContain('Start one with npm run chain')
    await start(folder)
    expect(await fund('--usdc', '12.5', '--coin', '2')).toMatchObject({ code: 0 })
    const { url, token } = JSON.parse(await readFile(join(folder, 'chain.json'), 'utf8'))
    const data = `0x70a08231${payee.slice(2).toLowerCase().padStart(64, '0')}`
    expect(BigInt((await rpcCall(url, 'eth_call', [{ to: token, data }, 'latest'])) as Hex)).toBe(12_500_000n)
    expect(BigInt((await rpcCall(url, 'eth_getBalance', [payee, 'latest'])) as Hex)).toBe(2n * 10n ** 18n)
    expect((await fund()).said).toContain('Give --usdc or --coin')
    expect((await ran(['fund', payee.replace('fB', 'FB'), '--coin', '1'])).said).toContain(
      'is not an address',
    )
  })

  test('refuses options that it does not know', async () => {
    const { code, said } = await ran(['--block-time', 'often'])
    expect(code).toBe(1)
    expect(said).toContain('--block-time: seconds are needed')
  })
})

/** Runs it until it ends. */
async function ran(args: readonly string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, ['scripts/chain.mjs', ...args], {
    cwd: rootFolder(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (text: Buffer) => {
    said += text
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

/** Starts it as a user does. Resolves when it has said everything. */
async function start(folder: string): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(
    process.execPath,
    ['scripts/chain.mjs', '--port', '0', '--block-time', '0', '--dir', folder],
    {
      cwd: rootFolder(),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line)
    if (line.includes('Ctrl-C')) return { child, lines }
  }
  throw new Error(`npm run chain ended early: ${lines.join(' | ')}`)
}
