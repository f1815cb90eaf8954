import type { EvmRailValue } from '@countersign/contract/connectors/rails-file'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { networkFeeRoundedUp } from '../../base/pricing/network-fees.ts'
import { feesOf, price } from '../../base/pricing/pricing.ts'
import { type RateTable, type Ratio, rateBetween } from '../../base/pricing/ratios.ts'
import { type ChainFees, NodeError } from '../../kernel/ports/chain-nodes.ts'
import { feeLimit } from './fees.ts'
import { createTransferFees, transferCost } from './transfer-fee.ts'

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
const wei = (most: bigint) => fc.bigInt(0n, most)

describe('a network fee', () => {
  test('is never below the paid fee, at any chain fees, rates, margins and amounts, and the sums add up', () => {
    const asked = fc.record({
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
      fc.property(asked, (one) => {
        const { rates, sending, receiving, transfers, marginPercent, extraWei, gasUnits } = one
        const entry = entryWith({ marginPercent, maxGwei: one.maxGwei, extraWei, gasUnits })
        const present = { baseFeePerGas: one.base, priorityFeePerGas: one.priority }
        const amount = transferCost(entry, present, 'EIP3009', transfers)
        // Cost of a transaction signed with this limit, in whatever block it lands.
        const limit = min(2n * one.base + one.priority, feeLimit(entry))
        const paid = ((BigInt(gasUnits) * one.gasShare) / 1000n) * min(limit, one.laterBase + one.priority)
        const most = BigInt(transfers) * (paid + extraWei)
        expect(amount * 100n).toBeGreaterThanOrEqual(most * BigInt(100 + marginPercent))

        const fee = networkFeeRoundedUp(rates, sending, { asset: 'ETH', amount })!
        const [coin, own] = [rates.usdPerUnit('ETH')!, rates.usdPerUnit(sending)!]
        const decimals = sending === 'USDC' ? 6n : 2n
        // fee × rate ≥ cost, in dollars times both denominators.
        expect(fee * own.numerator * coin.denominator * 10n ** 18n).toBeGreaterThanOrEqual(
          most * coin.numerator * own.denominator * 10n ** decimals,
        )

        const found = price(rates, [], sending, receiving, one.side, one.amount, fee)
        const plain = price(rates, [], sending, receiving, one.side, one.amount)
        if (!found) return
        expect(feesOf(found)).toBeGreaterThanOrEqual(fee)
        expect(found.sendingAmount).toBe(found.deliveredAmount + found.fixedFee + found.variableFee)
        if (one.side === 'SENDING') expect(found.receivingAmount).toBeLessThanOrEqual(plain!.receivingAmount)
        else expect(found.sendingAmount).toBeGreaterThanOrEqual(plain!.sendingAmount + fee)
        expect(rateBetween(rates, sending, receiving)).toEqual(found.rate)
      }),
      { numRuns: 3000 },
    )
  })

  test('is twice the base fee plus the tip, with the margin, and at most the limit', () => {
    const fees = { baseFeePerGas: 3n * GWEI, priorityFeePerGas: GWEI }
    expect(transferCost(entryWith(undefined), fees, 'EIP3009', 1)).toBe((120_000n * 7n * GWEI * 120n) / 100n)
    expect(transferCost(entryWith(undefined), fees, 'ERC20', 2)).toBe((160_000n * 7n * GWEI * 120n) / 100n)
    expect(transferCost(entryWith({ maxGwei: 0.5, marginPercent: 0 }), fees, 'EIP3009', 1)).toBe(
      (120_000n * GWEI) / 2n,
    )
  })

  test('is read from the chain once for all quotes within two seconds, and again after a failure', async () => {
    let [asks, nowMs, fails] = [0, 0, false]
    const nodes = {
      async fees(): Promise<ChainFees> {
        asks += 1
        if (fails) throw new NodeError('NO_ANSWER', 'nobody is there')
        return { baseFeePerGas: BigInt(asks), priorityFeePerGas: 0n }
      },
    }
    const feeOf = createTransferFees(
      entryWith({ marginPercent: 0, gasUnits: 21_000 }),
      nodes,
      () => new Date(nowMs),
    )
    const both = await Promise.all([feeOf('USDC', 1), feeOf('USDC', 1)])
    expect(both).toEqual(Array(2).fill({ asset: 'ETH', amount: 42_000n }))
    nowMs += 1999
    expect((await feeOf('USDC', 2)).amount).toBe(84_000n)
    expect(asks).toBe(1)
    nowMs += 1
    fails = true
    await expect(feeOf('USDC', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    fails = false
    expect((await feeOf('USDC', 1)).amount).toBe(3n * 42_000n)
    expect(asks).toBe(3)
  })
})

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
