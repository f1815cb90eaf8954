import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { Hex } from '../../base/formats/hex.ts'
import { callNode } from './nodes/json-rpc.ts'

/** The minting function of a local chain's test token, which anyone may call. */
const MINT = parseAbi(['function mint(address to, uint256 value)'])
const TIMEOUT_MS = 5000
const RESPONSE_BYTES_MAX = 1_000_000

/** A sandbox chain's faucet: an account whose key is on the node. */
export interface Faucet {
  /** Throws if the node does not respond or refuses the call. */
  mint(currency: string, to: Hex, amount: bigint): Promise<void>
  /** Sends coin to an account, in wei. */
  sendCoin(to: Hex, wei: bigint): Promise<void>
}

/**
 * Creates the faucet of a chain, which uses the chain's first node. That node assigns nonces, so several
 * processes can share the faucet.
 */
export function createFaucet({ tokens }: EvmRailValue, from: string, url: string): Faucet {
  const send = async (transaction: { readonly to: string; readonly data?: Hex; readonly value?: Hex }) => {
    const call = { method: 'eth_sendTransaction', params: [{ from, ...transaction }] }
    await callNode({ url, timeoutMs: TIMEOUT_MS, bytesMax: RESPONSE_BYTES_MAX }, call)
  }
  return {
    async mint(currency, to, amount) {
      const token = tokens.find((candidate) => candidate.currency === currency)
      if (!token) throw new Error(`The rail has no token for ${currency}`)
      const data = encodeFunctionData({ abi: MINT, functionName: 'mint', args: [to, amount] })
      await send({ to: token.address, data })
    },
    sendCoin: (to, wei) => send({ to, value: `0x${wei.toString(16)}` }),
  }
}
