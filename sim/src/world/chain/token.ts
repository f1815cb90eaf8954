import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  parseAbi,
  toFunctionSelector,
} from 'viem/utils'
import {
  computeAuthorizationDigest,
  domainSeparator,
} from '../../../../server/src/base/crypto/evm/authorization.ts'
import { bytesOf, type Hex, hexOf, toLowerHex } from '../../../../server/src/base/formats/hex.ts'
import {
  CANCELLED_TOPIC,
  TRANSFER_TOPIC,
  toTopic,
  USED_TOPIC,
} from '../../../../server/src/outside/chains/formats/calls.ts'
import { TOKEN_ABI } from '../../../../server/src/outside/chains/formats/token.ts'

/**
 * The contracts on the simulated chain: a token with EIP-3009, and Multicall3. They check signatures exactly
 * as the real contracts do.
 */

export const CHAIN_ID = 8453
export const TOKEN: Hex = `0x${'a5dc'.repeat(10)}`
export const MULTICALL: Hex = '0xca11bde05977b3631167028862be2a173976ca11'
const DOMAIN = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: TOKEN }
const SEPARATOR = domainSeparator(DOMAIN)
const DECIMALS = 6
const V_BASE = 27

const MULTICALL_ABI = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])

/** A log without its position in a block. */
export interface Log {
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** A transfer of the token. `nonce` is set if the transfer used an authorization. */
export interface Transfer {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly nonce?: Hex
}

/** The state of all accounts after a block. */
export class State {
  readonly tokens: Map<Hex, bigint>
  readonly coins: Map<Hex, bigint>
  /** The number of transactions that each account has sent. */
  readonly counts: Map<Hex, bigint>
  /** The used or canceled authorizations, as `authorizer nonce`. */
  readonly used: Set<string>

  constructor(before?: State) {
    this.tokens = new Map(before?.tokens)
    this.coins = new Map(before?.coins)
    this.counts = new Map(before?.counts)
    this.used = new Set(before?.used)
  }

  getTokenBalance(address: Hex): bigint {
    return this.tokens.get(address) ?? 0n
  }

  getCoinBalance(address: Hex): bigint {
    return this.coins.get(address) ?? 0n
  }

  getTransactionCount(address: Hex): bigint {
    return this.counts.get(address) ?? 0n
  }

  isUsed(authorizer: Hex, nonce: Hex): boolean {
    return this.used.has(`${authorizer} ${nonce}`)
  }
}

/** The effects of a transaction: its logs and transfers, in order. */
export interface Effects {
  readonly logs: Log[]
  readonly transfers: Transfer[]
}

/** Thrown if the chain reverts a call. */
export class RevertError extends Error {}

/** Moves tokens. Throws Reverted. */
export function moveTokens(state: State, effects: Effects, transfer: Transfer): void {
  const { from, to, value } = transfer
  const balance = state.getTokenBalance(from)
  if (balance < value) throw new RevertError('execution reverted: transfer amount exceeds balance')
  state.tokens.set(from, balance - value)
  state.tokens.set(to, state.getTokenBalance(to) + value)
  effects.logs.push({
    topics: [TRANSFER_TOPIC, toTopic(from), toTopic(to)],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  })
  effects.transfers.push(transfer)
}

/** Uses an authorization, or cancels it if there is no transfer. Throws Reverted. */
export function useAuthorization(
  state: State,
  effects: Effects,
  {
    authorizer,
    nonce,
    transfer,
  }: { readonly authorizer: Hex; readonly nonce: Hex; readonly transfer?: Transfer },
): void {
  if (state.isUsed(authorizer, nonce))
    throw new RevertError('execution reverted: authorization is used or canceled')
  state.used.add(`${authorizer} ${nonce}`)
  effects.logs.push({
    topics: [transfer ? USED_TOPIC : CANCELLED_TOPIC, toTopic(authorizer), nonce],
    data: '0x',
  })
  if (transfer) moveTokens(state, effects, transfer)
}

export interface Call {
  readonly from: Hex
  readonly to: Hex
  readonly data: Hex
}

/**
 * Executes a transaction's call and applies its effects to the state. If Reverted is thrown, the state must
 * be discarded.
 */
export function executeTransaction(state: State, { from, to, data }: Call, timestamp: bigint): Effects {
  const effects: Effects = { logs: [], transfers: [] }
  const calls = to === MULTICALL ? decodeCalls(data) : [{ to, data }]
  for (const call of calls) {
    if (call.to !== TOKEN) throw new RevertError('execution reverted: unknown contract')
    executeCall(state, effects, from, call.data, timestamp)
  }
  return effects
}

function executeCall(state: State, effects: Effects, caller: Hex, data: Hex, timestamp: bigint): void {
  const call = decodeFunctionData({ abi: TOKEN_ABI, data })
  if (call.functionName === 'transfer') {
    const [to, value] = call.args
    moveTokens(state, effects, { from: caller, to: toLowerHex(to), value })
    return
  }
  if (call.functionName !== 'transferWithAuthorization') throw new RevertError('execution reverted')
  const [authorizer, to, value, validAfter, validBefore, nonce, v, r, s] = call.args
  const authorization = {
    from: toLowerHex(authorizer),
    to: toLowerHex(to),
    value,
    validBefore,
    nonce: toLowerHex(nonce),
  }
  if (timestamp <= validAfter || timestamp >= validBefore)
    throw new RevertError('execution reverted: authorization is expired')
  if (
    recoverSigner(computeAuthorizationDigest(SEPARATOR, authorization), { r, s, yParity: v - V_BASE }) !==
    authorization.from
  )
    throw new RevertError('execution reverted: invalid signature')
  const transfer = { from: authorization.from, to: authorization.to, value, nonce: authorization.nonce }
  useAuthorization(state, effects, { authorizer: authorization.from, nonce: authorization.nonce, transfer })
}

function decodeCalls(data: Hex): { readonly to: Hex; readonly data: Hex }[] {
  const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data })
  return args[0].map(({ target, callData }) => ({ to: toLowerHex(target), data: callData }))
}

/** The address whose key signed a digest. */
export function recoverSigner(
  digest: Uint8Array,
  { r, s, yParity }: { readonly r: Hex; readonly s: Hex; readonly yParity: number },
): Hex {
  const signature = Buffer.concat([Uint8Array.of(yParity), toWord(r), toWord(s)])
  const compressed = secp256k1.recoverPublicKey(signature, digest, { prehash: false })
  const point = secp256k1.Point.fromBytes(compressed).toBytes(false)
  return hexOf(keccak_256(point.subarray(1)).subarray(-20))
}

function toWord(hex: Hex): Uint8Array {
  return bytesOf(`0x${hex.slice(2).padStart(64, '0')}`)
}

const SELECTORS = {
  [toFunctionSelector('name()')]: 'name',
  [toFunctionSelector('version()')]: 'version',
  [toFunctionSelector('decimals()')]: 'decimals',
  [toFunctionSelector('DOMAIN_SEPARATOR()')]: 'DOMAIN_SEPARATOR',
} as const

/** Returns the result of a call without a transaction. Throws Reverted. */
export function executeView(state: State, { from, to, data }: Call, timestamp: bigint): Hex {
  if (to === MULTICALL) {
    const results = decodeCalls(data).map((call) => ({
      success: true,
      returnData: executeView(state, { from, ...call }, timestamp),
    }))
    return encodeFunctionResult({ abi: MULTICALL_ABI, functionName: 'aggregate3', result: results })
  }
  if (to !== TOKEN) return '0x'
  switch (SELECTORS[data.slice(0, 10)]) {
    case 'name':
      return encodeAbiParameters([{ type: 'string' }], [DOMAIN.name])
    case 'version':
      return encodeAbiParameters([{ type: 'string' }], [DOMAIN.version])
    case 'decimals':
      return encodeAbiParameters([{ type: 'uint8' }], [DECIMALS])
    case 'DOMAIN_SEPARATOR':
      return SEPARATOR
  }
  const call = decodeFunctionData({ abi: TOKEN_ABI, data })
  if (call.functionName === 'balanceOf')
    return encodeAbiParameters([{ type: 'uint256' }], [state.getTokenBalance(toLowerHex(call.args[0]))])
  if (call.functionName === 'authorizationState') {
    const [authorizer, nonce] = call.args
    return encodeAbiParameters([{ type: 'bool' }], [state.isUsed(toLowerHex(authorizer), toLowerHex(nonce))])
  }
  executeTransaction(new State(state), { from, to, data }, timestamp)
  return encodeAbiParameters([{ type: 'bool' }], [true])
}
