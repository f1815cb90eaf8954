import { decodeFunctionResult, encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import type { Authorization } from '../../../base/crypto/evm/authorization.ts'
import type { Hex } from '../../../base/formats/hex.ts'
import { TOKEN_ABI } from './token.ts'

/** ABI-encoded contract calls, and parsers for their results and logs. */

/** One contract call of a transaction. */
export interface Call {
  readonly to: Hex
  readonly data: Hex
}

const WORD_DIGITS = 64

export const TRANSFER_TOPIC = toEventSelector('Transfer(address,address,uint256)')
export const USED_TOPIC = toEventSelector('AuthorizationUsed(address,bytes32)')
export const CANCELLED_TOPIC = toEventSelector('AuthorizationCanceled(address,bytes32)')

const MULTICALL_ABI = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])

/** Address of Multicall3 on most networks. */
export const MULTICALL_ADDRESS: Hex = '0xca11bde05977b3631167028862be2a173976ca11'

export function transferCall(token: Hex, to: Hex, amount: bigint): Call {
  return {
    to: token,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, amount] }),
  }
}

/** The call that submits a signed authorization to the chain. `signature` has 65 bytes. */
export function callWithAuthorization(token: Hex, authorization: Authorization, signature: Hex): Call {
  const { r, s, v } = splitSignature(signature)
  const args = [
    authorization.from,
    authorization.to,
    authorization.value,
    0n,
    authorization.validBefore,
    authorization.nonce,
    v,
    r,
    s,
  ] as const
  return {
    to: token,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transferWithAuthorization', args }),
  }
}

/** Splits a 65-byte signature into its parts. */
export function splitSignature(signature: Hex): { readonly r: Hex; readonly s: Hex; readonly v: number } {
  const digits = signature.slice(2)
  return {
    r: `0x${digits.slice(0, WORD_DIGITS)}`,
    s: `0x${digits.slice(WORD_DIGITS, 2 * WORD_DIGITS)}`,
    v: Number.parseInt(digits.slice(2 * WORD_DIGITS), 16),
  }
}

/** Combines the calls into one. If any of them fails, none takes effect. */
export function combineCalls(multicall: Hex, calls: readonly Call[]): Call {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))] as const
  return {
    to: multicall,
    data: encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'aggregate3', args }),
  }
}

export function buildBalanceCall(token: Hex, account: Hex): Call {
  return {
    to: token,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [account] }),
  }
}

export function decodeBalance(data: Hex): bigint {
  return decodeFunctionResult({ abi: TOKEN_ABI, functionName: 'balanceOf', data })
}

/** The call that reads the balances of many accounts together. */
export function buildBalancesCall(multicall: Hex, token: Hex, accounts: readonly Hex[]): Call {
  return combineCalls(
    multicall,
    accounts.map((account) => buildBalanceCall(token, account)),
  )
}

export function decodeBalances(data: Hex): bigint[] {
  const results = decodeFunctionResult({ abi: MULTICALL_ABI, functionName: 'aggregate3', data })
  return results.map(({ returnData }) => decodeBalance(returnData))
}

/** The call that checks whether an authorizer's nonce was used or canceled. */
export function buildAuthorizationStateCall(token: Hex, authorizer: Hex, nonce: Hex): Call {
  return {
    to: token,
    data: encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
    }),
  }
}

export function decodeAuthorizationState(data: Hex): boolean {
  return decodeFunctionResult({ abi: TOKEN_ABI, functionName: 'authorizationState', data })
}

/** Formats an address as an indexed log topic. */
export function toTopic(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')}`
}
