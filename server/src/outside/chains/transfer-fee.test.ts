import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { networkFeeRoundedUp } from '../../base/pricing/network-fees.ts'
import { price, totalFees } from '../../base/pricing/pricing.ts'
import { findRate, type RateTable, type Ratio } from '../../base/pricing/ratios.ts'
import { type ChainFees, NodeError } from '../../kernel/ports/chain-nodes.ts'
import { readFeeLimit } from './fees.ts'
import { computeTransferCost, createTransferFees } from './transfer-fee.ts'

const GWEI = 10n ** 9n

const entryWith = (fees: EvmRailValue['fees'], standard: 'EIP3009' | 'ERC20' = 'EIP3009'): EvmRailValue => ({
  kind: 'evm',
  name: 'base',
  network: 'BASE',
  chainId: 1,
  rpcs: [{ type: 'url', url: 'http://127.0.0.1:1' }],
  tokens: [{ currency: 'USDC', address: `0x${'1'.repeat(40)}`, standard }],
  confirmations: 1,
  serves: [{ direction: 'OUT', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] }],
  ...(fees ? { fees } : {}),
})

const ratios = fc
  .tuple(fc.bigInt(1n, 10n ** 9n), fc.integer({ min: 0, max: 9 }))
  .map(([numerator, places]): Ratio => ({ numerator, denominator: 10n ** BigInt(places) }))
const CODES = ['USDC', 'EUR', 'BTC', 'ETH'] as const
const tables: fc.Arbitrary<RateTable> = fc.tuple(ratios, ratios, ratios, ratios).map((rates) => ({
  updatedAt: new Date(0),
  usdPerUnit: (code) =>
    code === 'USD' ? { numerator: 1n, denominator: 1n } : rates[(CODES as readonly string[]).indexOf(code)],
}))
const wei = (maximum: bigint) => fc.bigInt(0n, maximum)

describe('a network fee', () => {
  test('a network fee never falls below the paid gas, for any chain fees, rates, margins and amounts', () => {
    const inputs = fc.record({
      rates: tables,
      base: wei(2000n * GWEI),
      priority: wei(100n * GWEI),
      laterBase: wei(20_000n * GWEI),
      marginPercent: fc.integer({ min: 0, max: 1000 }),
      maxGwei: fc.integer({ min: 1, max: 100_000_000 }).map((thousandths) => thousandths / 1000),
      extraWei: wei(10n ** 16n),
      gasUnits: fc.integer({ min: 21_000, max: 10_000_000 }),
      gasShare: fc.bigInt(0n, 1000n),
      transfers: fc.integer({ min: 1, max: 2 }),
      sending: fc.constantFrom('USD' as const, 'USDC' as const, 'EUR' as const),
      receiving: fc.constantFrom('USDC' as const, 'EUR' as const),
      side: fc.constantFrom('SENDING' as const, 'RECEIVING' as const),
      amount: fc.bigInt(1n, 10n ** 15n),
    })
    fc.assert(
      fc.property(inputs, (input) => {
        const { rates, sending, receiving, transfers, marginPercent, extraWei, gasUnits } = input
        const entry = entryWith({ marginPercent, maxGwei: input.maxGwei, extraWei, gasUnits })
        const chainFees = { baseFeePerGas: input.base, priorityFeePerGas: input.priority }
        const amount = computeTransferCost(entry, chainFees, 'EIP3009', transfers)
        // Cost of a transaction signed with this limit, in whatever block it lands.
        const limit = min(2n * input.base + input.priority, readFeeLimit(entry))
        const paid =
          ((BigInt(gasUnits) * input.gasShare) / 1000n) * min(limit, input.laterBase + input.priority)
        const costMax = BigInt(transfers) * (paid + extraWei)
        expect(amount * 100n).toBeGreaterThanOrEqual(costMax * BigInt(100 + marginPercent))

        const fee = networkFeeRoundedUp(rates, sending, { asset: 'ETH', amount })!
        const [coinRate, sendingRate] = [rates.usdPerUnit('ETH')!, rates.usdPerUnit(sending)!]
        const decimals = sending === 'USDC' ? 6n : 2n
        // fee × rate ≥ cost, in dollars times both denominators.
        expect(fee * sendingRate.numerator * coinRate.denominator * 10n ** 18n).toBeGreaterThanOrEqual(
          costMax * coinRate.numerator * sendingRate.denominator * 10n ** decimals,
        )

        const priced = price(rates, [], sending, receiving, input.side, input.amount, fee)
        const plain = price(rates, [], sending, receiving, input.side, input.amount)
        if (!priced) return
        expect(totalFees(priced)).toBeGreaterThanOrEqual(fee)
        expect(priced.sendingAmount).toBe(priced.deliveredAmount + priced.fixedFee + priced.variableFee)
        if (input.side === 'SENDING')
          expect(priced.receivingAmount).toBeLessThanOrEqual(plain!.receivingAmount)
        else expect(priced.sendingAmount).toBeGreaterThanOrEqual(plain!.sendingAmount + fee)
        expect(findRate(rates, sending, receiving)).toEqual(priced.rate)
      }),
      { numRuns: 3000 },
    )
  })

  test('a network fee is twice the base fee plus the tip, with the margin, and at most the limit', () => {
    const fees = { baseFeePerGas: 3n * GWEI, priorityFeePerGas: GWEI }
    expect(computeTransferCost(entryWith(undefined), fees, 'EIP3009', 1)).toBe(
      (120_000n * 7n * GWEI * 120n) / 100n,
    )
    expect(computeTransferCost(entryWith(undefined), fees, 'ERC20', 2)).toBe(
      (160_000n * 7n * GWEI * 120n) / 100n,
    )
    expect(computeTransferCost(entryWith({ maxGwei: 0.5, marginPercent: 0 }), fees, 'EIP3009', 1)).toBe(
      (120_000n * GWEI) / 2n,
    )
  })

  test('the chain fees are read once for all quotes within two seconds, and again after a failure', async () => {
    let [reads, nowMs, isFailing] = [0, 0, false]
    const nodes = {
      async fees(): Promise<ChainFees> {
        reads += 1
        if (isFailing) throw new NodeError('NO_ANSWER', 'no node responds')
        return { baseFeePerGas: BigInt(reads), priorityFeePerGas: 0n }
      },
    }
    const estimateFee = createTransferFees(
      entryWith({ marginPercent: 0, gasUnits: 21_000 }),
      nodes,
      () => new Date(nowMs),
    )
    const both = await Promise.all([estimateFee('USDC', 1), estimateFee('USDC', 1)])
    expect(both).toEqual(Array(2).fill({ asset: 'ETH', amount: 42_000n }))
    nowMs += 1999
    expect((await estimateFee('USDC', 2)).amount).toBe(84_000n)
    expect(reads).toBe(1)
    nowMs += 1
    isFailing = true
    await expect(estimateFee('USDC', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    isFailing = false
    expect((await estimateFee('USDC', 1)).amount).toBe(3n * 42_000n)
    expect(reads).toBe(3)
  })
})

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
