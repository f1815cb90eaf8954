import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { LocalChain } from '../../../../contracts/local-chain.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { authorizedCall, type Call, partsOf, together } from '../../../src/outside/chains/formats/calls.ts'
import { type Holder, payloadOf, type Quote } from './holder.testing.ts'

const RELAY = 7
/** Wei: more than anybody else offers. */
const HIGH_TIP = 10n ** 11n
const FOREVER = 2n ** 40n
const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const CANCEL = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** A customer who has taken the key of the wallet elsewhere, with a node: an attacker who signs as the server does. */
export class KeyOwner {
  readonly #chain: LocalChain
  readonly key: HDAccount

  private constructor(chain: LocalChain, key: HDAccount) {
    this.#chain = chain
    this.key = key
  }

  static async of(chain: LocalChain, { wallet, session }: Holder): Promise<KeyOwner> {
    return new KeyOwner(chain, mnemonicToAccount(await wallet.export(session)))
  }

  /** Signs a transfer that uses this nonce. */
  async transfer(nonce: Hex, to: string, value: bigint): Promise<Call> {
    const terms = { from: this.key.address, to: to as Hex, value, validBefore: FOREVER, nonce }
    const signature = await this.key.signTypedData({
      domain: this.#domain,
      types: { TransferWithAuthorization: AUTHORIZATION },
      primaryType: 'TransferWithAuthorization',
      message: { ...terms, validAfter: 0n },
    })
    return authorizedCall(this.#chain.token, terms, signature)
  }

  /** Signs that a nonce is never to be used. */
  async cancel(nonce: Hex): Promise<Call> {
    const signature = await this.key.signTypedData({
      domain: this.#domain,
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: this.key.address, nonce },
    })
    const { v, r, s } = partsOf(signature)
    const args = [this.key.address, nonce, v, r, s] as const
    return {
      to: this.#chain.token,
      data: encodeFunctionData({ abi: CANCEL, functionName: 'cancelAuthorization', args }),
    }
  }

  /** Brings calls to the chain in one transaction, before any of the server's in the same block. */
  async bring(...calls: Call[]): Promise<void> {
    const [first, ...others] = calls
    const call = first && others.length === 0 ? first : together(this.#chain.multicall, calls)
    const fees = { maxFeePerGas: 2n * HIGH_TIP, maxPriorityFeePerGas: HIGH_TIP }
    const from = this.#chain.account(RELAY).address
    await this.#chain.rpc('eth_sendTransaction', [{ from, ...call, gas: 600_000n, ...fees }])
  }

  get #domain() {
    return {
      name: 'Test Dollar',
      version: '2',
      chainId: this.#chain.chainId,
      verifyingContract: this.#chain.token,
    }
  }
}

/** The nonces in the payload of a quote, which its signer sees. */
export function noncesOf(quote: Quote): { readonly payment: Hex; readonly fee: Hex | undefined } {
  const { transfers } = JSON.parse(payloadOf(quote)).chain as {
    transfers: readonly { readonly purpose: string; readonly nonce: Hex }[]
  }
  const of = (purpose: string) => transfers.find((one) => one.purpose === purpose)?.nonce
  return { payment: of('PAYMENT')!, fee: of('FEE') }
}
