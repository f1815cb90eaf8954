import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { LocalChain } from '../../../../contracts/local-chain.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  type Call,
  callWithAuthorization,
  combineCalls,
  splitSignature,
} from '../../../src/outside/chains/formats/calls.ts'
import type { ChainPaymentRow } from '../../../src/storage/rows/chain.ts'
import {
  bothSides,
  chainAbsent,
  type OnChain,
  openChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { Holder, newAddress, ok, payloadOf, type Quote } from '../../worlds/chain/holder.testing.ts'
import { until } from '../../worlds/client.testing.ts'

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
class KeyOwner {
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
    return callWithAuthorization(this.#chain.token, terms, signature)
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
    const { v, r, s } = splitSignature(signature)
    const args = [this.key.address, nonce, v, r, s] as const
    return {
      to: this.#chain.token,
      data: encodeFunctionData({ abi: CANCEL, functionName: 'cancelAuthorization', args }),
    }
  }

  /** Brings calls to the chain in one transaction, before any of the server's in the same block. */
  async bring(...calls: Call[]): Promise<void> {
    const [first, ...others] = calls
    const call = first && others.length === 0 ? first : combineCalls(this.#chain.multicall, calls)
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
function noncesOf(quote: Quote): { readonly payment: Hex; readonly fee: Hex | undefined } {
  const { transfers } = JSON.parse(payloadOf(quote)).chain as {
    transfers: readonly { readonly purpose: string; readonly nonce: Hex }[]
  }
  const of = (purpose: string) => transfers.find((one) => one.purpose === purpose)?.nonce
  return { payment: of('PAYMENT')!, fee: of('FEE') }
}

const MILLION = 1_000_000n

describe.skipIf(chainAbsent)('an owner of a wallet who has its key', () => {
  let chain: LocalChain
  let on: OnChain

  beforeAll(async () => {
    chain = await openChain()
    on = await openOnChain({ mode: 'sandbox', chain, entry: { multicall: chain.multicall } })
    ok(await on.client.send('PATCH', '/config', { embeddedWalletConfig: { network: 'BASE' } }))
  })
  afterEach(() => chain.setAutomine(true))
  afterAll(async () => {
    await on?.close()
    await chain?.close()
  })

  /** A wallet with 10 USDC, its key, and a quote that pays 6 USDC of it. */
  async function scene({ payee }: { readonly payee?: 'custodial' } = {}) {
    const holder = await Holder.open(on, 10n * MILLION)
    const owner = await KeyOwner.of(chain, holder)
    const to = newAddress()
    const destination = payee ? holder.custodialId : await holder.addPayee(to)
    const quote = await holder.quote(destination, 6n * MILLION)
    return { holder, owner, to, quote, nonces: noncesOf(quote), treasury: await inTreasury() }
  }

  const inTreasury = () => chain.balanceOf(chain.token, on.rail().chain.treasury)
  const paymentOf = (quote: Quote) =>
    on.service.app.read
      .selectFrom('chain_payments')
      .where('payment_id', '=', quote.transactionId)
      .selectAll()
      .executeTakeFirst()

  /** Executes without a block, until the server has sent the payment to the node. */
  async function executeWithoutBlock(holder: Holder, quote: Quote): Promise<ChainPaymentRow> {
    await chain.setAutomine(false)
    ok(await holder.execute(quote))
    const sent = await until(
      () => paymentOf(quote),
      (row) => row?.state === 'SENT',
    )
    return sent!
  }

  /** The payment has failed without a refund, and the books are the chain: of the wallet, and of all addresses. */
  async function expectFailed(holder: Holder, quote: Quote, left: bigint): Promise<void> {
    await chain.setAutomine(true)
    const done = await holder.ended(quote.transactionId)
    expect(done).toMatchObject({ status: 'FAILED' })
    expect(done.refund).toBeUndefined()
    await holder.seen((total) => total === left)
    expect(
      await holder.mining(
        () => holder.available(),
        (has) => has === left,
      ),
    ).toBe(left)
    expect(await holder.onChain()).toBe(left)
    const [books, addresses] = await bothSides(on)
    expect(books).toBe(addresses)
  }

  test.each(['another address', 'the wallet itself'] as const)(
    'and used the nonce of a payment for %s before it was executed has not paid by it',
    async (target) => {
      const { holder, owner, to, quote, nonces, treasury } = await scene()
      const isAway = target === 'another address'
      const thief = isAway ? newAddress() : holder.address
      await owner.bring(await owner.transfer(nonces.payment, thief, 2n * MILLION))
      const left = isAway ? 8n * MILLION : 10n * MILLION
      await holder.seen((total) => total === left)
      ok(await holder.execute(quote))
      await expectFailed(holder, quote, left)
      expect([await chain.balanceOf(chain.token, to), await inTreasury()]).toEqual([0n, treasury])
      expect((await paymentOf(quote))?.attempts).toBe(0)
    },
  )

  test.each(['another address', 'the wallet itself'] as const)(
    'and used the nonce for %s in the block before the payment has not paid by it',
    async (target) => {
      const { holder, owner, to, quote, nonces, treasury } = await scene()
      const isAway = target === 'another address'
      await executeWithoutBlock(holder, quote)
      await owner.bring(await owner.transfer(nonces.payment, isAway ? newAddress() : holder.address, MILLION))
      await expectFailed(holder, quote, isAway ? 9n * MILLION : 10n * MILLION)
      expect([await chain.balanceOf(chain.token, to), await inTreasury()]).toEqual([0n, treasury])
    },
  )

  test('and used the nonce of a payment that is collected first gets no payout for it', async () => {
    const { holder, owner, quote, nonces, treasury } = await scene({ payee: 'custodial' })
    await executeWithoutBlock(holder, quote)
    await owner.bring(await owner.transfer(nonces.payment, newAddress(), MILLION))
    await expectFailed(holder, quote, 9n * MILLION)
    expect(await inTreasury()).toBe(treasury)
    const { data } = ok(
      await on.client.get(
        `/customers/internal-accounts?customerId=${holder.customerId}&type=INTERNAL_CRYPTO&currency=USDC`,
      ),
    )
    expect(data[0].totalBalance.amount).toBe(0)
  })

  test('and cancelled the authorization of a payment has not paid', async () => {
    const { holder, owner, quote, nonces, treasury } = await scene()
    await executeWithoutBlock(holder, quote)
    await owner.bring(await owner.cancel(nonces.payment))
    await expectFailed(holder, quote, 10n * MILLION)
    expect(await inTreasury()).toBe(treasury)
  })

  test('and made exactly the transfer of a payment before it was executed has paid it once, without the server', async () => {
    const { holder, owner, to, quote, nonces } = await scene()
    await owner.bring(await owner.transfer(nonces.payment, to, 6n * MILLION))
    await holder.seen((total) => total === 4n * MILLION)
    // The books have it as a spend. To have the money for the payment a second time:
    await holder.fund(10n * MILLION)
    ok(await holder.execute(quote))
    await expectFailed(holder, quote, 14n * MILLION)
    expect(await chain.balanceOf(chain.token, to)).toBe(6n * MILLION)
  })

  test('and made exactly the transfer of a payment that was executed has paid it, and its fee is collected', async () => {
    const { holder, owner, to, quote, nonces, treasury } = await scene()
    await executeWithoutBlock(holder, quote)
    await owner.bring(await owner.transfer(nonces.payment, to, 6n * MILLION))
    await chain.setAutomine(true)
    expect((await holder.ended(quote.transactionId)).status).toBe('COMPLETED')
    const left = 4n * MILLION - BigInt(quote.feesIncluded)
    await holder.seen((total) => total === left)
    expect(await holder.onChain()).toBe(left)
    expect([await chain.balanceOf(chain.token, to), await inTreasury()]).toEqual([
      6n * MILLION,
      treasury + BigInt(quote.feesIncluded),
    ])
  })

  test('and withheld the fee of a payment before it was executed has not paid', async () => {
    const { holder, owner, to, quote, nonces } = await scene()
    await owner.bring(await owner.transfer(nonces.fee!, newAddress(), MILLION))
    await holder.seen((total) => total === 9n * MILLION)
    ok(await holder.execute(quote))
    await expectFailed(holder, quote, 9n * MILLION)
    expect(await chain.balanceOf(chain.token, to)).toBe(0n)
  })

  test('and used the nonce of a payment gets back a fee that was relayed to the chain separately', async () => {
    const { holder, owner, to, quote, nonces, treasury } = await scene()
    const sent = await executeWithoutBlock(holder, quote)
    const fee = callWithAuthorization(
      sent.token,
      {
        from: sent.sender,
        to: sent.fee_recipient!,
        value: sent.fee_amount!,
        validBefore: sent.valid_before!,
        nonce: sent.fee_nonce!,
      },
      sent.fee_signature!,
    )
    await owner.bring(fee, await owner.transfer(nonces.payment, newAddress(), MILLION))
    await chain.setAutomine(true)
    expect((await holder.ended(quote.transactionId)).status).toBe('FAILED')
    await holder.mining(holder.onChain.bind(holder), (has) => has === 9n * MILLION)
    await expectFailed(holder, quote, 9n * MILLION)
    expect([await chain.balanceOf(chain.token, to), await inTreasury()]).toEqual([0n, treasury])
  })

  test('and pays two equal payments by one transfer has made one of them', async () => {
    const holder = await Holder.open(on, 20n * MILLION)
    const owner = await KeyOwner.of(chain, holder)
    const [to, payee] = [newAddress(), newAddress()]
    const destination = await holder.addPayee(payee)
    const quotes = [
      await holder.quote(destination, 6n * MILLION),
      await holder.quote(destination, 6n * MILLION),
    ]
    for (const quote of quotes) await executeWithoutBlock(holder, quote)
    const [first, second] = quotes.map((quote) => noncesOf(quote).payment)
    await owner.bring(
      await owner.transfer(first!, to, MILLION),
      await owner.transfer(second!, payee, 6n * MILLION),
    )
    await chain.setAutomine(true)
    const ends = await Promise.all(quotes.map(({ transactionId }) => holder.ended(transactionId)))
    expect(ends.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED'])
    const left = 13n * MILLION - BigInt(quotes[1]!.feesIncluded)
    await holder.seen((total) => total === left)
    expect([await holder.onChain(), await chain.balanceOf(chain.token, payee)]).toEqual([left, 6n * MILLION])
    const [books, addresses] = await bothSides(on)
    expect(books).toBe(addresses)
  })
})
