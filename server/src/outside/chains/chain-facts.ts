import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'
import { domainSeparator } from '../../base/crypto/evm/authorization.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { CallReverted, type ChainNodes } from '../../kernel/ports/chain-nodes.ts'
import type { TokenFacts } from '../../storage/rows/chain.ts'

/** Facts that a chain reports about itself and the tokens of its rail. None of them ever changes. */
export interface ChainFacts {
  readonly genesis: Hex
  /** Keyed by lowercase address. */
  readonly tokens: Readonly<Record<string, TokenFacts>>
}

/**
 * The rails file contradicts the chain. The message is for the operator and does not contain the rail's name.
 */
export class WrongChain extends Error {}

/** Reads the facts from the chain. Throws WrongChain, or NodeError if no node responds. */
export async function readFacts(entry: EvmRailValue, nodes: ChainNodes): Promise<ChainFacts> {
  const chainId = await nodes.chainId()
  if (chainId !== entry.chainId)
    throw new WrongChain(`chainId is ${entry.chainId}, but its node is on chain ${chainId}`)
  const genesis = await nodes.genesis()
  const tokens: Record<string, TokenFacts> = {}
  for (const token of entry.tokens) {
    const address = toLowerHex(token.address)
    tokens[address] = await readTokenFacts(nodes, token, address, chainId)
  }
  return { genesis, tokens }
}

async function readTokenFacts(
  nodes: ChainNodes,
  { currency, standard }: EvmRailValue['tokens'][number],
  address: Hex,
  chainId: number,
): Promise<TokenFacts> {
  if ((await nodes.code(address)) === '0x') throw new WrongChain(`${address} has no contract`)
  const decimals = Number(await readNumber(nodes, address, 'decimals()'))
  const expected = isKnownCurrency(currency) ? CURRENCIES[currency].decimals : undefined
  if (decimals !== expected)
    throw new WrongChain(`the contract ${address} has ${decimals} decimals, but ${currency} has ${expected}`)
  if (standard === 'ERC20') return { decimals }
  const name = await readText(nodes, address, 'name()')
  const version = await readText(nodes, address, 'version()')
  const separator = await callView(nodes, address, 'DOMAIN_SEPARATOR()')
  if (domainSeparator({ name, version, chainId, verifyingContract: address }) !== separator)
    throw new WrongChain(
      `the DOMAIN_SEPARATOR of the contract ${address} does not match its name and version`,
    )
  return { decimals, domain: { name, version, separator } }
}

async function readNumber(nodes: ChainNodes, to: Hex, signature: string): Promise<bigint> {
  const data = await callView(nodes, to, signature)
  return decodeResult(to, signature, () => decodeAbiParameters([{ type: 'uint256' }], data)[0])
}

async function readText(nodes: ChainNodes, to: Hex, signature: string): Promise<string> {
  const data = await callView(nodes, to, signature)
  return decodeResult(to, signature, () => decodeAbiParameters([{ type: 'string' }], data)[0])
}

function decodeResult<T>(to: Hex, signature: string, decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new WrongChain(`the contract ${to} returns an unexpected result for ${signature}`)
  }
}

/** Throws WrongChain if the contract lacks the function. */
async function callView(nodes: ChainNodes, to: Hex, signature: string): Promise<Hex> {
  try {
    return await nodes.call({ to, data: toFunctionSelector(signature) })
  } catch (error) {
    if (error instanceof CallReverted) throw new WrongChain(`the contract ${to} has no function ${signature}`)
    throw error
  }
}
