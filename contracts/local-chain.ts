import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
} from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { CHAIN_MNEMONIC, startAnvil } from './anvil.ts'
import { type Compiled, compileContracts } from './compile.ts'
import { rpcBatch, rpcCall } from './rpc.ts'

export const LOCAL_CHAIN_ID = 31337

/** The metadata of the test dollar; symbol, version and decimals are the same as USDC's. */
export const TOKEN = { name: 'Test Dollar', symbol: 'USDC', version: '2', decimals: 6 } as const

/** The account that deploys and mints. Tests send from the first ones. */
const OPERATOR = 9
const DEPLOY_GAS = 5_000_000n

export interface LocalChainOptions {
  readonly chainId?: number
  /** 0, the default, takes a free port. */
  readonly port?: number
  /** Seconds from block to block. Left out: a block for each transaction. */
  readonly blockSeconds?: number
  /** False: no block without `mine`. */
  readonly automine?: boolean
  readonly stateFile?: string
}

export interface Block {
  readonly number: bigint
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: bigint
}

/** A transaction of a reorganisation: raw and signed, or by an account of the chain. */
export type ReorgTransaction =
  | Hex
  | { readonly from: Address; readonly to: Address; readonly [member: string]: unknown }

/**
 * A chain of one's own with its contracts. Accounts are numbered: account n derives from CHAIN_MNEMONIC and has 10,000
 * coins. What sends a transaction resolves to its hash; without automatic mining it waits for `mine`.
 */
export interface LocalChain {
  readonly url: string
  readonly chainId: number
  /** The test dollar, with EIP-3009. */
  readonly token: Address
  /** A token without EIP-3009. */
  readonly plainToken: Address
  readonly multicall: Address
  readonly ended: Promise<void>
  account(index: number): HDAccount
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Deploys another contract, from account 9. Resolves to its address. Throws without automatic mining. */
  deploy(contract: Compiled, args: readonly unknown[]): Promise<Address>
  /** Mines blocks, `secondsApart` seconds apart. */
  mine(blocks?: number, secondsApart?: number): Promise<void>
  setAutomine(isOn: boolean): Promise<void>
  /** Makes units of a token (the test dollar if none is named) out of nothing. */
  mint(to: Address, amount: bigint, token?: Address): Promise<Hex>
  freeze(account: Address, token?: Address): Promise<Hex>
  unfreeze(account: Address, token?: Address): Promise<Hex>
  /** Sends units of a token from a numbered account. */
  transfer(from: number, to: Address, amount: bigint, token?: Address): Promise<Hex>
  /** Sends coins, in wei, from account 9. */
  sendCoin(to: Address, wei: bigint): Promise<Hex>
  /** Sets the coin balance of an account, without a transaction. */
  setCoin(account: Address, wei: bigint): Promise<void>
  balanceOf(token: Address, account: Address): Promise<bigint>
  /** In wei. */
  coinOf(account: Address): Promise<bigint>
  /** The head. */
  block(): Promise<Block>
  snapshot(): Promise<Hex>
  /** Goes back to a snapshot, which can be used once. */
  revert(snapshot: Hex): Promise<void>
  /** Replaces the last `depth` blocks by others, empty but for these transactions, each with the block it goes into (0 is the first). */
  reorg(depth: number, transactions?: readonly (readonly [ReorgTransaction, number])[]): Promise<void>
  close(): Promise<void>
}

/** Starts a chain, with the contracts at addresses that are the same each time. */
export async function openLocalChain(options: LocalChainOptions = {}): Promise<LocalChain> {
  const contracts = compileContracts()
  const { chainId = LOCAL_CHAIN_ID, port = 0, stateFile } = options
  const anvil = await startAnvil({ chainId, port, ...(stateFile === undefined ? {} : { stateFile }) })
  try {
    const { url } = anvil
    const addresses = await deployAll(url)
    const mining = { isAutomatic: options.automine !== false && options.blockSeconds === undefined }
    if (mining.isAutomatic) await rpcCall(url, 'evm_setAutomine', [true])
    if (options.blockSeconds !== undefined)
      await rpcCall(url, 'evm_setIntervalMining', [options.blockSeconds])
    const send: Send = (transaction) => sendTransaction(url, transaction, mining.isAutomatic)
    const chain: LocalChain = {
      url,
      chainId,
      ...addresses,
      ended: anvil.ended,
      account: accountAt,
      deploy: (contract, args) => deploy(url, send, contract, args),
      ...tokenCalls(url, send, addresses.token, contracts.Token.abi),
      ...blockCalls(url, mining),
      close: () => anvil.stop(),
    }
    return chain
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

const accounts = new Map<number, HDAccount>()

function accountAt(index: number): HDAccount {
  const found = accounts.get(index) ?? mnemonicToAccount(CHAIN_MNEMONIC, { addressIndex: index })
  accounts.set(index, found)
  return found
}

/** Deploys the contracts in one block, unless a saved chain has them already. Leaves automatic mining off. */
async function deployAll(url: string): Promise<Pick<LocalChain, 'token' | 'plainToken' | 'multicall'>> {
  const { Token, PlainToken, Multicall } = compileContracts()
  const { name, symbol, version, decimals } = TOKEN
  const code = [
    encodeDeployData({ ...Token, args: [name, symbol, version, decimals] }),
    encodeDeployData({ ...PlainToken, args: ['Plain Dollar', 'PLAIN', decimals] }),
    encodeDeployData({ ...Multicall, args: [] }),
  ]
  const from = accountAt(OPERATOR).address
  const [token, plainToken, multicall] = code.map((_, nonce) =>
    getContractAddress({ from, nonce: BigInt(nonce) }),
  ) as [Address, Address, Address]
  await rpcCall(url, 'evm_setAutomine', [false])
  if ((await rpcCall(url, 'eth_getCode', [multicall, 'latest'])) === '0x')
    await rpcBatch(url, [
      ...code.map((data, nonce) => ({
        method: 'eth_sendTransaction',
        params: [{ from, data, nonce: BigInt(nonce), gas: DEPLOY_GAS }],
      })),
      { method: 'anvil_mine', params: [] },
    ])
  return { token, plainToken, multicall }
}

async function deploy(
  url: string,
  send: Send,
  { abi, bytecode }: Compiled,
  args: readonly unknown[],
): Promise<Address> {
  const data = encodeDeployData({ abi, bytecode, args })
  const hash = await send({ from: accountAt(OPERATOR).address, data })
  const receipt = (await rpcCall(url, 'eth_getTransactionReceipt', [hash])) as {
    contractAddress: Address
  } | null
  if (!receipt) throw new Error('the contract waits for a block')
  return receipt.contractAddress
}

type Send = (transaction: Readonly<Record<string, unknown>>) => Promise<Hex>

/**
 * Sends from an account of the chain. If each transaction has its own block, resolves when it is mined, and throws if it
 * was reverted.
 */
async function sendTransaction(
  url: string,
  transaction: Readonly<Record<string, unknown>>,
  isAutomatic: boolean,
): Promise<Hex> {
  if (!isAutomatic) return (await rpcCall(url, 'eth_sendTransaction', [transaction])) as Hex
  const receipt = (await rpcCall(url, 'eth_sendTransactionSync', [transaction])) as Readonly<
    Record<'transactionHash' | 'status', Hex>
  >
  if (receipt.status !== '0x0') return receipt.transactionHash
  // A call of the reverted transaction throws with the contract's reason.
  await rpcCall(url, 'eth_call', [transaction, 'latest'])
  throw new Error(`${receipt.transactionHash} was reverted`)
}

type TokenCalls = Pick<
  LocalChain,
  'mint' | 'freeze' | 'unfreeze' | 'transfer' | 'sendCoin' | 'setCoin' | 'balanceOf' | 'coinOf'
>

function tokenCalls(url: string, send: Send, dollar: Address, abi: Abi): TokenCalls {
  const call = (from: number, to: Address, functionName: string, args: readonly unknown[]) =>
    send({ from: accountAt(from).address, to, data: encodeFunctionData({ abi, functionName, args }) })
  return {
    mint: (to, amount, token = dollar) => call(OPERATOR, token, 'mint', [to, amount]),
    freeze: (account, token = dollar) => call(OPERATOR, token, 'freeze', [account]),
    unfreeze: (account, token = dollar) => call(OPERATOR, token, 'unfreeze', [account]),
    transfer: (from, to, amount, token = dollar) => call(from, token, 'transfer', [to, amount]),
    sendCoin: (to, value) => send({ from: accountAt(OPERATOR).address, to, value }),
    async setCoin(account, wei) {
      await rpcCall(url, 'anvil_setBalance', [account, wei])
    },
    async balanceOf(to, account) {
      const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] })
      return BigInt((await rpcCall(url, 'eth_call', [{ to, data }, 'latest'])) as Hex)
    },
    async coinOf(account) {
      return BigInt((await rpcCall(url, 'eth_getBalance', [account, 'latest'])) as Hex)
    },
  }
}

type BlockCalls = Pick<LocalChain, 'rpc' | 'mine' | 'setAutomine' | 'block' | 'snapshot' | 'revert' | 'reorg'>

function blockCalls(url: string, mining: { isAutomatic: boolean }): BlockCalls {
  const rpc = (method: string, params: readonly unknown[] = []) => rpcCall(url, method, params)
  return {
    rpc,
    async mine(blocks = 1, secondsApart = 1) {
      await rpc('anvil_mine', [BigInt(blocks), BigInt(secondsApart)])
    },
    async setAutomine(isOn) {
      await rpc('evm_setAutomine', [isOn])
      mining.isAutomatic = isOn
    },
    async block() {
      const block = (await rpc('eth_getBlockByNumber', ['latest', false])) as Readonly<
        Record<keyof Block, Hex>
      >
      return { number: BigInt(block.number), hash: block.hash, timestamp: BigInt(block.timestamp) }
    },
    snapshot: async () => (await rpc('evm_snapshot')) as Hex,
    async revert(snapshot) {
      if ((await rpc('evm_revert', [snapshot])) !== true) throw new Error(`no snapshot ${snapshot}`)
    },
    async reorg(depth, transactions = []) {
      await rpc('anvil_reorg', [depth, transactions])
    },
  }
}
