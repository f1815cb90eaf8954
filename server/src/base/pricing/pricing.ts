import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { OutgoingRateDetails } from '@countersign/contract/payments/rate-details'
import type { Static } from 'typebox'
import { formatDecimal } from '../formats/decimal.ts'
import { type FeeSchedule, findFees } from './fees.ts'
import { findRate, type RateTable, type Ratio } from './ratios.ts'

/**
 * The arithmetic of a quote (specification 2.5, 2.7), exact to the smallest unit:
 *
 * sending amount = delivered value + fixed fee + variable fee
 *
 * The delivered value is the receiving amount times the rate, rounded up. If the sending amount is locked,
 * the remainder that does not buy a whole receiving unit is part of the fixed fee, so the sum always holds.
 * The fixed fee also includes network fees.
 */
export interface Price {
  /** Sending units per receiving unit, both in the smallest unit. */
  readonly rate: Ratio
  readonly sendingAmount: bigint
  readonly receivingAmount: bigint
  /** The cost of the receiving amount at the rate, in sending units. */
  readonly deliveredAmount: bigint
  readonly fixedFee: bigint
  readonly variableFee: bigint
  /** A share of the sending amount. */
  readonly variableFeeRate: Ratio
}

/** The calculation of a transaction's amounts (specification 2.7). */
export interface RateSummary {
  readonly exchangeRate: number
  readonly rateDetails: Readonly<Static<typeof OutgoingRateDetails>>
}

/** The platform's own part of the calculation. */
export type OwnRateDetails = Readonly<Omit<RateSummary['rateDetails'], `counterparty${string}`>>

export type LockedSide = 'SENDING' | 'RECEIVING'

/**
 * The price if the amount is locked on one side. Undefined if there is no rate, or if the amount buys
 * nothing. `networkFee` is in sending units.
 */
export function price(
  rates: RateTable,
  fees: FeeSchedule,
  sending: KnownCurrency,
  receiving: KnownCurrency,
  side: LockedSide,
  amount: bigint,
  networkFee = 0n,
): Price | undefined {
  const amounts =
    side === 'SENDING'
      ? priceSendingAmount(rates, fees, sending, receiving, amount, networkFee)
      : priceReceivingAmount(rates, fees, sending, receiving, amount, networkFee)
  return amounts && amounts.receivingAmount > 0n ? amounts : undefined
}

/**
 * The price for a sending amount, which may be zero, buy nothing and consist only of fees. Undefined if there
 * is no rate.
 */
export function priceSendingAmount(
  rates: RateTable,
  fees: FeeSchedule,
  sending: KnownCurrency,
  receiving: KnownCurrency,
  sendingAmount: bigint,
  networkFee = 0n,
): Price | undefined {
  const terms = computeTerms(rates, fees, sending, receiving, networkFee)
  if (!terms) return undefined
  const spendable = sendingAmount - terms.fixed - multiplyRoundedUp(sendingAmount, terms.variableFeeRate)
  return completePrice(terms, sendingAmount, spendable > 0n ? divideRoundedDown(spendable, terms.rate) : 0n)
}

function priceReceivingAmount(
  rates: RateTable,
  fees: FeeSchedule,
  sending: KnownCurrency,
  receiving: KnownCurrency,
  receivingAmount: bigint,
  networkFee: bigint,
): Price | undefined {
  const terms = computeTerms(rates, fees, sending, receiving, networkFee)
  if (!terms) return undefined
  const net = multiplyRoundedUp(receivingAmount, terms.rate) + terms.fixed
  return completePrice(terms, toGross(net, terms.variableFeeRate), receivingAmount)
}

interface Terms extends Pick<Price, 'rate' | 'variableFeeRate'> {
  /** The fixed fee of the corridor in sending units, rounded up, plus network fees. */
  readonly fixed: bigint
}

function computeTerms(
  rates: RateTable,
  fees: FeeSchedule,
  sending: KnownCurrency,
  receiving: KnownCurrency,
  networkFee: bigint,
): Terms | undefined {
  const rate = findRate(rates, sending, receiving)
  const perCent = findRate(rates, sending, 'USD')
  if (!rate || !perCent) return undefined
  const { fixedUsd, variable } = findFees(fees, sending, receiving)
  const fixed = multiplyRoundedUp(100n, multiplyRatios(fixedUsd, perCent)) + networkFee
  return { rate, variableFeeRate: variable, fixed }
}

function completePrice(
  { rate, variableFeeRate }: Terms,
  sendingAmount: bigint,
  receivingAmount: bigint,
): Price {
  const deliveredAmount = multiplyRoundedUp(receivingAmount, rate)
  const variableFee = multiplyRoundedUp(sendingAmount, variableFeeRate)
  return {
    rate,
    sendingAmount,
    receivingAmount,
    deliveredAmount,
    fixedFee: sendingAmount - variableFee - deliveredAmount,
    variableFee,
    variableFeeRate,
  }
}

/** The sum of all fees, in the sending currency. */
export function totalFees(price: Price): bigint {
  return price.fixedFee + price.variableFee
}

/** The rate as the API shows it: sending units per receiving unit, both in the smallest unit. */
export function exchangeRate(price: Price): number {
  return toNearestDouble(price.rate)
}

/**
 * The calculation of the amounts (specification 2.7):
 *
 * (sending amount − svcApiFixedFee) × svcApiMultiplier × counterpartyMultiplier = receiving amount
 *
 * `counterpartyMultiplier` is only the rate, receiving units per mSAT, whatever the amount.
 * `svcApiMultiplier` includes the variable fee and all rounding. Each is the double nearest to its exact
 * value.
 */
export function rateDetails(rates: RateTable, sending: KnownCurrency, price: Price) {
  const satoshi = findRate(rates, sending, 'BTC')
  if (!satoshi) throw new Error('The rate table lacks BTC')
  const millisatoshi = divideRatios(satoshi, { numerator: 1000n, denominator: 1n })
  const receivedPerMillisatoshi = divideRatios(millisatoshi, price.rate)
  const received = { numerator: price.receivingAmount, denominator: price.sendingAmount - price.fixedFee }
  return {
    counterpartyMultiplier: toNearestDouble(receivedPerMillisatoshi),
    counterpartyFixedFee: 0n,
    svcApiMultiplier: toNearestDouble(divideRatios(received, receivedPerMillisatoshi)),
    svcApiFixedFee: price.fixedFee,
    svcApiVariableFeeRate: toNearestDouble(price.variableFeeRate),
    svcApiVariableFeeAmount: toNearestDouble(
      multiplyRatios({ numerator: price.sendingAmount, denominator: 1n }, price.variableFeeRate),
    ),
  }
}

/**
 * The calculation for an amount without conversion or fees, which has only our own part (specification 2.7).
 */
export function ownRateDetails(rates: RateTable, currency: KnownCurrency): OwnRateDetails {
  const cached = OWN_RATE_DETAILS.get(rates)?.get(currency)
  if (cached) return cached
  const satoshi = findRate(rates, currency, 'BTC')
  if (!satoshi) throw new Error('The rate table lacks BTC')
  const details = {
    svcApiMultiplier: toNearestDouble({
      numerator: satoshi.denominator * 1000n,
      denominator: satoshi.numerator,
    }),
    svcApiFixedFee: 0n,
    svcApiVariableFeeRate: 0,
    svcApiVariableFeeAmount: 0,
  }
  OWN_RATE_DETAILS.set(rates, (OWN_RATE_DETAILS.get(rates) ?? new Map()).set(currency, details))
  return details
}

/** A cache by rate table: tables never change, and every outgoing transfer shows these details. */
const OWN_RATE_DETAILS = new WeakMap<RateTable, Map<KnownCurrency, OwnRateDetails>>()

/** Formats an amount for people: `25.00 USD`. */
export function formatCurrencyAmount(amount: bigint, currency: KnownCurrency): string {
  return `${formatDecimal(amount, CURRENCIES[currency].decimals)} ${currency}`
}

/**
 * The smallest gross amount that leaves exactly `net` after its variable fee: `net / (1 − share)`, rounded
 * up.
 */
function toGross(net: bigint, { numerator, denominator }: Ratio): bigint {
  return multiplyRoundedUp(net, { numerator: denominator, denominator: denominator - numerator })
}

function multiplyRatios(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

function divideRatios(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator }
}

export function multiplyRoundedUp(amount: bigint, { numerator, denominator }: Ratio): bigint {
  return (amount * numerator + denominator - 1n) / denominator
}

function divideRoundedDown(amount: bigint, { numerator, denominator }: Ratio): bigint {
  return (amount * denominator) / numerator
}

/** More bits than a double has, so that the bits cut off can only decide a tie. */
const QUOTIENT_BITS = 66

/** The double nearest to a ratio, even if its parts exceed 2^53. */
function toNearestDouble({ numerator, denominator }: Ratio): number {
  const shift = Math.max(0, QUOTIENT_BITS + countBits(denominator) - countBits(numerator))
  const scaled = numerator << BigInt(shift)
  // Any remainder means that there is no tie.
  const stickyBit = scaled % denominator === 0n ? 0n : 1n
  return Number((scaled / denominator) | stickyBit) / 2 ** shift
}

function countBits(value: bigint): number {
  return value.toString(2).length
}
