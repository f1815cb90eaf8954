import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { domainSeparator } from '../crypto/evm/authorization.ts'
import type { TokenFacts } from '../db/schema/chain-tables.ts'
import type { Hex } from '../formats/hex.ts'
import { CallReverted, type ChainNodes } from '../ports/chain-nodes.ts'
import { TOKEN_ABI } from './formats/token.ts'

/** What a chain says of itself and of the tokens of its rail. It never changes. */
export interface ChainFacts {
  readonly genesis: Hex
  /** By address in lower case. */
  readonly tokens: Readonly<Record<string, TokenFacts>>
}

/** The rails file says otherwise than the chain. The message is for the operator, without the name of the rail. */
export class WrongChain extends Error {}

/** Reads them from the chain. Throws WrongChain, or NodeError where nobody answers. */
export async function readFacts(entry: EvmRailValue, nodes: ChainNodes): Promise<ChainFacts> {
  const chainId = await nodes.chainId()
  if (chainId !== entry.chainId)
    throw new WrongChain(`chainId is ${entry.chainId}, but its node is of the chain ${chainId}`)
  const genesis = await nodes.genesis()
  const tokens: Record<string, TokenFacts> = {}
  for (const token of entry.tokens) {
    const address = token.address.toLowerCase() as Hex
    tokens[address] = await factsOf(nodes, token, address, chainId)
  }
  return { genesis, tokens }
}

async function factsOf(
  nodes: ChainNodes,
  { currency, standard }: EvmRailValue['tokens'][number],
  address: Hex,
  chainId: number,
): Promise<TokenFacts> {
  if ((await nodes.code(address)) === '0x') throw new WrongChain(`there is no contract at ${address}`)
  const read = <Name extends 'name' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR'>(functionName: Name) =>
    viewOf(nodes, address, functionName)
  const decimals = Number(await read('decimals'))
  const expected = isKnownCurrency(currency) ? CURRENCIES[currency].decimals : undefined
  if (decimals !== expected)
    throw new WrongChain(`the contract ${address} has ${decimals} decimals, but ${currency} has ${expected}`)
  if (standard === 'ERC20') return { decimals }
  const [name, version, separator] = [await read('name'), await read('version'), await read('DOMAIN_SEPARATOR')]
  if (domainSeparator({ name, version, chainId, verifyingContract: address }) !== separator)
    throw new WrongChain(`the contract ${address} has another domain than its name and version say`)
  return { decimals, domain: { name, version, separator } }
}

/** Throws WrongChain where the contract has no such function. */
async function viewOf<Name extends 'name' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR'>(
  nodes: ChainNodes,
  to: Hex,
  functionName: Name,
) {
  try {
    const data = await nodes.call({ to, data: encodeFunctionData({ abi: TOKEN_ABI, functionName }) })
    return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data })
  } catch (error) {
    if (error instanceof CallReverted || (error instanceof Error && error.name.startsWith('Abi')))
      throw new WrongChain(`the contract ${to} has no ${functionName}`)
    throw error
  }
}
