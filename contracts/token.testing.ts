import { randomBytes } from 'node:crypto'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  hexToNumber,
  http,
  parseAbi,
  parseEventLogs,
  parseSignature,
  slice,
} from 'viem'
import { type LocalChain, TOKEN } from './local-chain.ts'

/** The ABI that wallets know such tokens by, written independently of our sources. */
export const ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])
export const MULTICALL_ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const TYPES = {
  TransferWithAuthorization: AUTHORIZATION,
  ReceiveWithAuthorization: AUTHORIZATION,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** Numbers of accounts. */
export const HOLDER = 1
export const RELAY = 2
export const PAYEE = 3
const FOREVER = 2n ** 48n

export interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/** The holder, the relaying account and the payee of a chain, and what they can do with its token. */
export type TokenUsers = ReturnType<typeof tokenUsers>

export function tokenUsers(chain: LocalChain) {
  const addressOf = (account: number) => chain.account(account).address
  const clients = (account: number) => {
    const net = defineChain({
      id: chain.chainId,
      name: 'Local',
      nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
      rpcUrls: { default: { http: [chain.url] } },
    })
    const shared = { chain: net, transport: http() }
    return {
      reader: createPublicClient({ ...shared, pollingInterval: 20 }),
      writer: createWalletClient({ ...shared, account: chain.account(account) }),
    }
  }
  const balance = (account: number) => chain.balanceOf(chain.token, addressOf(account))

  const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
    from: addressOf(HOLDER),
    to: addressOf(PAYEE),
    value: 5_000_000n,
    validAfter: 0n,
    validBefore: FOREVER,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...changes,
  })
  const domain = (changes: { readonly chainId?: number; readonly version?: string } = {}) => ({
    name: TOKEN.name,
    version: TOKEN.version,
    chainId: chain.chainId,
    verifyingContract: chain.token,
    ...changes,
  })
  const sign = (
    message: Authorization,
    options: {
      readonly by?: number
      readonly primaryType?: 'TransferWithAuthorization' | 'ReceiveWithAuthorization'
      readonly domain?: ReturnType<typeof domain>
    } = {},
  ) =>
    chain.account(options.by ?? HOLDER).signTypedData({
      domain: options.domain ?? domain(),
      types: TYPES,
      primaryType: options.primaryType ?? 'TransferWithAuthorization',
      message,
    })
  const signCancel = (nonce: Hex, by = HOLDER) =>
    chain.account(by).signTypedData({
      domain: domain(),
      types: TYPES,
      primaryType: 'CancelAuthorization',
      message: { authorizer: addressOf(HOLDER), nonce },
    })

  const transferCall = ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex) =>
    ({
      address: chain.token,
      abi: ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, ...parts(signature)],
    }) as const

  /** Brings it to the chain from the relaying account. Resolves to the events; rejects with the contract's reason. */
  const relay = async (call: Authorization, signature: Hex) => {
    const { reader, writer } = clients(RELAY)
    const { request } = await reader.simulateContract({
      ...transferCall(call, signature),
      account: chain.account(RELAY),
    })
    const receipt = await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    if (receipt.status !== 'success') throw new Error('the relayed transfer was reverted')
    return parseEventLogs({ abi: ABI, logs: receipt.logs })
  }
  const cancel = async (nonce: Hex, signature: Hex) => {
    const { reader, writer } = clients(RELAY)
    const { request } = await reader.simulateContract({
      address: chain.token,
      abi: ABI,
      functionName: 'cancelAuthorization',
      args: [addressOf(HOLDER), nonce, ...parts(signature)],
      account: chain.account(RELAY),
    })
    const receipt = await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    return parseEventLogs({ abi: ABI, logs: receipt.logs })
  }
  return { addressOf, clients, balance, authorization, domain, sign, signCancel, transferCall, relay, cancel }
}

/** v, r and s of a signature. */
export function parts(signature: Hex) {
  const { r, s } = parseSignature(signature)
  return [hexToNumber(slice(signature, 64)), r, s] as const
}

/** The contract's reason for refusing; none if it does not refuse. */
export function refusal(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => {
      const cause =
        error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError)
      return cause instanceof ContractFunctionRevertedError ? cause.reason : String(error)
    },
  )
}
