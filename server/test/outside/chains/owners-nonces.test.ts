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
/** In wei: more than anybody else offers. */
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

/** An attacker: a customer who exported the wallet's key and uses it on the chain without the server. */
class KeyOwner {
  readonly #chain: LocalChain
  readonly key: HDAccount

  private constructor(chain: LocalChain, key: HDAccount) {
    this.#chain = chain
    this.key = key
  }

  static async open(chain: LocalChain, { wallet, session }: Holder): Promise<KeyOwner> {
    return new KeyOwner(chain, mnemonicToAccount(await wallet.export(session)))
  }

  /** Signs a transfer that uses this nonce. */
  async signTransfer(nonce: Hex, to: string, value: bigint): Promise<Call> {
    const terms = { from: this.key.address, to: to as Hex, value, validBefore: FOREVER, nonce }
    const signature = await this.key.signTypedData({
      domain: this.#domain,
      types: { TransferWithAuthorization: AUTHORIZATION },
      primaryType: 'TransferWithAuthorization',
      message: { ...terms, validAfter: 0n },
    })
    return callWithAuthorization(this.#chain.token, terms, signature)
  }

  /** Signs the cancellation of a nonce. */
  async signCancellation(nonce: Hex): Promise<Call> {
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

  /** Sends calls in one transaction, which precedes the server's transactions in its block. */
  async sendFirst(...calls: Call[]): Promise<void> {
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

/** Reads the nonces from the payload of a quote, as its signer can. */
function readNonces(quote: Quote): { readonly payment: Hex; readonly fee: Hex | undefined } {
  const { transfers } = JSON.parse(payloadOf(quote)).chain as {
    transfers: readonly { readonly purpose: string; readonly nonce: Hex }[]
  }
  const findNonce = (purpose: string) => transfers.find((transfer) => transfer.purpose === purpose)?.nonce
  return { payment: findNonce('PAYMENT')!, fee: findNonce('FEE') }
}

const MILLION = 1_000_000n

describe.skipIf(chainAbsent)('a wallet owner with the key', () => {
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

  /** Creates a wallet with 10 USDC, the owner of its key, and a quote that pays 6 USDC. */
  async function createScene({ payee }: { readonly payee?: 'custodial' } = {}) {
    const holder = await Holder.open(on, 10n * MILLION)
    const owner = await KeyOwner.open(chain, holder)
    const to = newAddress()
    const destination = payee ? holder.custodialId : await holder.addPayee(to)
    const quote = await holder.quote(destination, 6n * MILLION)
    return { holder, owner, to, quote, nonces: readNonces(quote), treasury: await readTreasuryBalance() }
  }

  const readTreasuryBalance = () => chain.balanceOf(chain.token, on.rail().chain.treasury)
  const findPayment = (quote: Quote) =>
    on.service.app.read
      .selectFrom('chain_payments')
      .where('payment_id', '=', quote.transactionId)
      .selectAll()
      .executeTakeFirst()

  /** Executes a quote and waits until the server has sent the payment, but mines no block. */
  async function executeWithoutBlock(holder: Holder, quote: Quote): Promise<ChainPaymentRow> {
    await chain.setAutomine(false)
    ok(await holder.execute(quote))
    const sent = await until(
      () => findPayment(quote),
      (row) => row?.state === 'SENT',
    )
    return sent!
  }

  /** Expects a failure without a refund, and books that equal the chain for the wallet and in total. */
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
    'who used the nonce of a payment for %s before its execution has not paid',
    async (target) => {
      const { holder, owner, to, quote, nonces, treasury } = await createScene()
      const isElsewhere = target === 'another address'
      const thief = isElsewhere ? newAddress() : holder.address
      await owner.sendFirst(await owner.signTransfer(nonces.payment, thief, 2n * MILLION))
      const left = isElsewhere ? 8n * MILLION : 10n * MILLION
      await holder.seen((total) => total === left)
      ok(await holder.execute(quote))
      await expectFailed(holder, quote, left)
      expect([await chain.balanceOf(chain.token, to), await readTreasuryBalance()]).toEqual([0n, treasury])
      expect((await findPayment(quote))?.attempts).toBe(0)
    },
  )

  test.each(['another address', 'the wallet itself'] as const)(
    'who uses the nonce of a payment for %s right before it is mined has not paid',
    async (target) => {
      const { holder, owner, to, quote, nonces, treasury } = await createScene()
      const isElsewhere = target === 'another address'
      await executeWithoutBlock(holder, quote)
      await owner.sendFirst(
        await owner.signTransfer(nonces.payment, isElsewhere ? newAddress() : holder.address, MILLION),
      )
      await expectFailed(holder, quote, isElsewhere ? 9n * MILLION : 10n * MILLION)
      expect([await chain.balanceOf(chain.token, to), await readTreasuryBalance()]).toEqual([0n, treasury])
    },
  )

  test('who uses the nonce of a payment to an internal account gets no credit there', async () => {
    const { holder, owner, quote, nonces, treasury } = await createScene({ payee: 'custodial' })
    await executeWithoutBlock(holder, quote)
    await owner.sendFirst(await owner.signTransfer(nonces.payment, newAddress(), MILLION))
    await expectFailed(holder, quote, 9n * MILLION)
    expect(await readTreasuryBalance()).toBe(treasury)
    const { data } = ok(
      await on.client.get(
        `/customers/internal-accounts?customerId=${holder.customerId}&type=INTERNAL_CRYPTO&currency=USDC`,
      ),
    )
    expect(data[0].totalBalance.amount).toBe(0)
  })

  test('who cancels the authorization of a payment has not paid', async () => {
    const { holder, owner, quote, nonces, treasury } = await createScene()
    await executeWithoutBlock(holder, quote)
    await owner.sendFirst(await owner.signCancellation(nonces.payment))
    await expectFailed(holder, quote, 10n * MILLION)
    expect(await readTreasuryBalance()).toBe(treasury)
  })

  test('who makes the exact transfer of a payment before its execution has paid once, without the server', async () => {
    const { holder, owner, to, quote, nonces } = await createScene()
    await owner.sendFirst(await owner.signTransfer(nonces.payment, to, 6n * MILLION))
    await holder.seen((total) => total === 4n * MILLION)
    // The books record it as spent, so the wallet needs the money for the payment a second time.
    await holder.fund(10n * MILLION)
    ok(await holder.execute(quote))
    await expectFailed(holder, quote, 14n * MILLION)
    expect(await chain.balanceOf(chain.token, to)).toBe(6n * MILLION)
  })

  test('who makes the exact transfer of an executed payment has paid it, and its fee is collected', async () => {
    const { holder, owner, to, quote, nonces, treasury } = await createScene()
    await executeWithoutBlock(holder, quote)
    await owner.sendFirst(await owner.signTransfer(nonces.payment, to, 6n * MILLION))
    await chain.setAutomine(true)
    expect((await holder.ended(quote.transactionId)).status).toBe('COMPLETED')
    const left = 4n * MILLION - BigInt(quote.feesIncluded)
    await holder.seen((total) => total === left)
    expect(await holder.onChain()).toBe(left)
    expect([await chain.balanceOf(chain.token, to), await readTreasuryBalance()]).toEqual([
      6n * MILLION,
      treasury + BigInt(quote.feesIncluded),
    ])
  })

  test('who withholds the fee of a payment before its execution has not paid', async () => {
    const { holder, owner, to, quote, nonces } = await createScene()
    await owner.sendFirst(await owner.signTransfer(nonces.fee!, newAddress(), MILLION))
    await holder.seen((total) => total === 9n * MILLION)
    ok(await holder.execute(quote))
    await expectFailed(holder, quote, 9n * MILLION)
    expect(await chain.balanceOf(chain.token, to)).toBe(0n)
  })

  test('who uses the nonce of a payment gets back its fee if the fee was relayed separately', async () => {
    const { holder, owner, to, quote, nonces, treasury } = await createScene()
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
    await owner.sendFirst(fee, await owner.signTransfer(nonces.payment, newAddress(), MILLION))
    await chain.setAutomine(true)
    expect((await holder.ended(quote.transactionId)).status).toBe('FAILED')
    await holder.mining(holder.onChain.bind(holder), (has) => has === 9n * MILLION)
    await expectFailed(holder, quote, 9n * MILLION)
    expect([await chain.balanceOf(chain.token, to), await readTreasuryBalance()]).toEqual([0n, treasury])
  })

  test('who makes one transfer for two equal payments has made only one of them', async () => {
    const holder = await Holder.open(on, 20n * MILLION)
    const owner = await KeyOwner.open(chain, holder)
    const [to, payee] = [newAddress(), newAddress()]
    const destination = await holder.addPayee(payee)
    const quotes = [
      await holder.quote(destination, 6n * MILLION),
      await holder.quote(destination, 6n * MILLION),
    ]
    for (const quote of quotes) await executeWithoutBlock(holder, quote)
    const [first, second] = quotes.map((quote) => readNonces(quote).payment)
    await owner.sendFirst(
      await owner.signTransfer(first!, to, MILLION),
      await owner.signTransfer(second!, payee, 6n * MILLION),
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
