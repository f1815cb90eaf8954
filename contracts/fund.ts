import { readFileSync } from 'node:fs'
import { type Address, encodeFunctionData, type Hex, isAddress, parseAbi, parseUnits } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { CHAIN_MNEMONIC } from './anvil.ts'
import { TOKEN } from './local-chain.ts'
import { rpcCall } from './rpc.ts'

/** Amounts to send to an address of the local chain, in the smallest units. */
export interface Funding {
  readonly address: Address
  readonly usdc: bigint
  readonly wei: bigint
}

const MINT = parseAbi(['function mint(address to, uint256 value)'])
const COIN_DECIMALS = 18

/** Throws if the address has a wrong checksum, an amount is invalid, or both amounts are zero. */
export function readFunding(
  address: string,
  { usdc = '0', coin = '0' }: { readonly usdc?: string | undefined; readonly coin?: string | undefined },
): Funding {
  if (!isAddress(address)) throw new Error(`${address} is not an address`)
  const amounts = { usdc: unitsOf(usdc, TOKEN.decimals), wei: unitsOf(coin, COIN_DECIMALS) }
  if (amounts.usdc === 0n && amounts.wei === 0n) throw new Error('Give --usdc or --coin, with an amount')
  return { address, ...amounts }
}

function unitsOf(text: string, decimals: number): bigint {
  if (!/^\d{1,12}(\.\d+)?$/.test(text)) throw new Error(`${text} is not an amount`)
  return parseUnits(text, decimals)
}

/** Funds an address on the chain of a `chain.json`. Throws if that chain is not running. */
export async function fundAddress(chainFile: string, { address, usdc, wei }: Funding): Promise<string> {
  const { url, token } = readChain(chainFile)
  const { address: from } = mnemonicToAccount(CHAIN_MNEMONIC)
  const send = (transaction: object) => rpcCall(url, 'eth_sendTransaction', [{ from, ...transaction }])
  if (usdc > 0n)
    await send({
      to: token,
      data: encodeFunctionData({ abi: MINT, functionName: 'mint', args: [address, usdc] }),
    })
  if (wei > 0n) await send({ to: address, value: wei })
  return `${address} has been funded`
}

function readChain(path: string): { readonly url: string; readonly token: Hex } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new Error(`No chain has run here: ${path} cannot be read. Start one with npm run chain`)
  }
}
