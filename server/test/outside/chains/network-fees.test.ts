import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOLDER, tokenUsers } from '../../../../contracts/token.testing.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { computeTransferCost } from '../../../src/outside/chains/transfer-fee.ts'
import {
  type BehindProxy,
  buildEvmEntry,
  chainAbsent,
  openBehindProxy,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

const PAYEE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
/** The rate of the test's rate source: 3000 USD for 10^18 wei. */
const MICRO_USD_PER_ETH = 3000n * 10n ** 6n
const WEI_PER_ETH = 10n ** 18n

let on: BehindProxy
let wallet: string
/** The platform's own accounts by currency. */
let ownAccounts: Readonly<Record<string, string>>

describe.skipIf(chainAbsent)('the network fee of a chain', () => {
  beforeAll(async () => {
    on = await openBehindProxy({ usdPerEth: '3000' })
    const account = await on.client.post('/platform/external-accounts', {
      currency: 'USDC',
      accountInfo: { accountType: 'BASE_WALLET', address: PAYEE },
    })
    if (account.status !== 201) throw new Error(JSON.stringify(account.body))
    wallet = account.body.id
    const { data } = (await on.client.get('/platform/internal-accounts')).body
    ownAccounts = Object.fromEntries(
      data.map((account: Reply['body']) => [account.balance.currency.code, account.id]),
    )
  })
  afterAll(() => on?.close())

  /** Fixes the base fee of the chain, in wei for a unit of gas, and returns the current fees. */
  const fixFees = async (baseFee: bigint) => {
    await on.chain.setAutomine(false)
    await on.chain.rpc('anvil_setNextBlockBaseFeePerGas', [baseFee])
    await on.chain.mine()
    const currentFees = await on.rail().nodes.fees()
    // Clears the server's cached fees.
    await on.setRail(buildEvmEntry(on.chain, { rpcs: on.rpcs }))
    return currentFees
  }
  const estimateFee = (more: object = {}) =>
    on.client.post('/crypto/estimate-withdrawal-fee', {
      internalAccountId: ownAccounts.USDC,
      currency: 'USDC',
      cryptoNetwork: 'BASE',
      amount: 50_000_000,
      destinationAddress: PAYEE,
      ...more,
    })
  const createQuote = (from: string, more: object) =>
    on.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: ownAccounts[from] },
      destination: { destinationType: 'ACCOUNT', accountId: wallet },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 5_000,
      ...more,
    })

  const readFeesEarned = async (): Promise<number> => {
    const { data } = (await on.client.get('/platform/fee-balances')).body
    const feeAccount = data.find((account: Reply['body']) => account.balance.currency.code === 'USDC')
    return feeAccount?.balance.amount ?? 0
  }
  const toMicros = (wei: bigint) => Number((wei * MICRO_USD_PER_ETH + WEI_PER_ETH - 1n) / WEI_PER_ETH)

  test('is the basis of a withdrawal estimate in production', async () => {
    const currentFees = await fixFees(3_000_000_000n)
    const networkFee = computeTransferCost(on.rail().entry, currentFees, 'EIP3009', 1)
    expect(networkFee).toBe(
      (120_000n * (2n * currentFees.baseFeePerGas + currentFees.priorityFeePerGas) * 6n) / 5n,
    )
    const fee = (networkFee * MICRO_USD_PER_ETH + WEI_PER_ETH - 1n) / WEI_PER_ETH
    const { status, body } = await estimateFee()
    expect([status, body]).toEqual([
      200,
      {
        networkFee: Number(networkFee),
        networkFeeAsset: 'ETH',
        applicationFee: 0,
        totalFee: Number(fee),
        netAmount: 50_000_000 - Number(fee),
      },
    ])
    expectError(await estimateFee({ amount: Number(fee) }), { code: 'INVALID_AMOUNT', field: 'amount' })
    expectError(await estimateFee({ cryptoNetwork: 'SOLANA', destinationAddress: SOLANA }), {
      code: 'NOT_IMPLEMENTED',
    })
  })

  test('is part of the fees of a quote, whichever side is locked, and the sums add up', async () => {
    const currentFees = await fixFees(3_000_000_000n)
    const networkFee = computeTransferCost(on.rail().entry, currentFees, 'EIP3009', 1)
    const micros = (networkFee * MICRO_USD_PER_ETH + WEI_PER_ETH - 1n) / WEI_PER_ETH
    const cents = Number((micros + 9_999n) / 10_000n)
    // USD to USDC: 0.10 USD and 0.5 %, as without a chain.
    const quote = (await createQuote('USD', {})).body
    expect(quote.feesIncluded).toBe(10 + 25 + cents)
    expect(quote.totalReceivingAmount).toBe((5_000 - quote.feesIncluded) * 10_000)
    expect(quote.rateDetails).toMatchObject({ svcApiFixedFee: 10 + cents, svcApiVariableFeeAmount: 25 })
    const reverseQuote = await createQuote('USD', {
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: quote.totalReceivingAmount,
    })
    expect(reverseQuote.body).toMatchObject({ totalSendingAmount: 5_000, feesIncluded: quote.feesIncluded })
    // USDC to USDC: only the network fee.
    const sameCurrency = (await createQuote('USDC', { lockedCurrencyAmount: 50_000_000 })).body
    expect(sameCurrency.feesIncluded).toBe(Number(micros))
    expect(sameCurrency.totalReceivingAmount).toBe(50_000_000 - Number(micros))
  })

  test('makes a quote fail if it uses up the whole amount', async () => {
    const currentFees = await fixFees(3_000_000_000n)
    const fee = computeTransferCost(on.rail().entry, currentFees, 'EIP3009', 1)
    const micros = Number((fee * MICRO_USD_PER_ETH + WEI_PER_ETH - 1n) / WEI_PER_ETH)
    expectError(await createQuote('USDC', { lockedCurrencyAmount: micros }), {
      code: 'INVALID_AMOUNT',
      field: 'lockedCurrencyAmount',
    })
    expect((await createQuote('USDC', { lockedCurrencyAmount: micros + 1 })).body.totalReceivingAmount).toBe(
      1,
    )
  })

  test.each(['platform', 'customer'] as const)(
    'is part of a transfer out of the %s, whose payee receives the rest',
    async (owner) => {
      const currentFees = await fixFees(3_000_000_000n)
      const isCustomer = owner === 'customer'
      const payer = await Payer.open(on)
      await on.chain.setAutomine(true)
      const { body: payee } = await payer.addPayee(payer.newPayee(), isCustomer)
      const transferOut = (amount?: number) =>
        on.client.post('/transfer-out', {
          source: { accountId: payer.account(isCustomer) },
          destination: { accountId: payee.id },
          ...(amount === undefined ? {} : { amount }),
        })
      const before = BigInt(await payer.balance(isCustomer))
      const earned = await readFeesEarned()
      const { status, body } = await transferOut(50_000_000)
      expect(status, JSON.stringify(body)).toBe(201)
      const fee = toMicros(computeTransferCost(on.rail().entry, currentFees, 'EIP3009', 1))
      expect(body).toMatchObject({
        sentAmount: { amount: 50_000_000 },
        receivedAmount: { amount: 50_000_000 - fee },
        fees: fee,
        rateDetails: { svcApiFixedFee: fee, svcApiVariableFeeAmount: 0 },
      })
      const done = await until(
        async () => {
          await on.chain.mine(1, 0)
          return payer.stateOf(body.id)
        },
        (transfer) => transfer.status === 'COMPLETED',
      )
      expect(done).toMatchObject({ fees: fee, receivedAmount: { amount: 50_000_000 - fee } })
      const { address } = payee.accountInfo
      expect(await on.chain.balanceOf(on.chain.token, address)).toBe(50_000_000n - BigInt(fee))
      expect(BigInt(await payer.balance(isCustomer))).toBe(before - 50_000_000n)
      expect(await readFeesEarned()).toBe(earned + fee)
    },
  )

  test('makes a transfer out fail if it uses up the whole amount, and the error states the fee', async () => {
    const currentFees = await fixFees(3_000_000_000n)
    const payer = await Payer.open(on)
    const fee = toMicros(computeTransferCost(on.rail().entry, currentFees, 'EIP3009', 1))
    const { body: payee } = await payer.addPayee(payer.newPayee())
    const transferOut = (amount: number) =>
      on.client.post('/transfer-out', {
        source: { accountId: payer.account() },
        destination: { accountId: payee.id },
        amount,
      })
    for (const amount of [1, fee]) {
      const refusal = await transferOut(amount)
      expectError(refusal, { code: 'INVALID_AMOUNT', field: 'amount' })
      expect(refusal.body.details.totalFee).toBe(fee)
    }
    const least = await transferOut(fee + 1)
    expect([least.status, least.body.receivedAmount?.amount]).toEqual([201, 1])
    on.proxy.lie('*', 'server error')
    try {
      await on.setRail(buildEvmEntry(on.chain, { rpcs: on.rpcs }))
      expectError(await transferOut(50_000_000), { code: 'UNAVAILABLE' })
    } finally {
      on.proxy.honest()
    }
  })

  test('is not part of a quote that touches no chain', async () => {
    await on.setRail(buildEvmEntry(on.chain, { rpcs: on.rpcs }))
    on.proxy.lie('*', 'server error')
    const { body } = await on.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: ownAccounts.USD },
      destination: { destinationType: 'ACCOUNT', accountId: ownAccounts.USDC },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 5_000,
    })
    on.proxy.honest()
    expect(body).toMatchObject({ feesIncluded: 35, totalReceivingAmount: 49_650_000 })
  })

  test('is unavailable while no node responds or if the rates lack the coin of the chain', async () => {
    await on.setRail(buildEvmEntry(on.chain, { rpcs: on.rpcs }))
    on.proxy.lie('*', 'server error')
    try {
      expectError(await createQuote('USD', {}), { code: 'UNAVAILABLE' })
      expectError(await estimateFee(), { code: 'UNAVAILABLE' })
    } finally {
      on.proxy.honest()
    }
    const { chain } = on
    const polygon = {
      network: 'POLYGON',
      name: 'polygon',
      serves: [{ direction: 'OUT', accountTypes: ['POLYGON_WALLET'], currencies: ['USDC'] }],
    }
    await on.setRail(buildEvmEntry(chain, polygon))
    const refusal = await estimateFee({ cryptoNetwork: 'POLYGON' })
    expectError(refusal, { code: 'NOT_IMPLEMENTED' })
    expect(refusal.body.message).toContain('POL')
    await on.setRail(buildEvmEntry(chain))
  })

  test('covers the gas of a transfer to an address that never held the token', async () => {
    await on.chain.setAutomine(true)
    const users = tokenUsers(on.chain)
    const buildAddress = (digit: string): Hex => `0x${digit.repeat(40)}`
    const from = users.addressOf(HOLDER)
    await on.chain.mint(from, 10n)
    await on.chain.mint(from, 10n, on.chain.plainToken)
    const { reader, writer } = users.clients(HOLDER)
    const signed = users.authorization({ from, to: buildAddress('a'), value: 1n })
    const call = users.transferCall(signed, await users.sign(signed))
    const relayed = await reader.waitForTransactionReceipt({ hash: await writer.writeContract(call) })
    const plain = await reader.waitForTransactionReceipt({
      hash: await on.chain.transfer(HOLDER, buildAddress('b'), 1n, on.chain.plainToken),
    })
    expect([relayed.status, plain.status]).toEqual(['success', 'success'])
    const unitFees = { baseFeePerGas: 0n, priorityFeePerGas: 1n }
    const entry = { ...on.rail().entry, fees: { marginPercent: 0 } }
    expect(relayed.gasUsed).toBeLessThan(computeTransferCost(entry, unitFees, 'EIP3009', 1))
    expect(plain.gasUsed).toBeLessThan(computeTransferCost(entry, unitFees, 'ERC20', 1))
  })
})

const SOLANA = '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg'
