import { CURRENCIES, type KnownCurrency } from '@countersign/contract/currencies'
import { type RateProvider, type Ratio, rateBetween } from '../rates/rates.ts'

/**
 * The arithmetic of a quote (specification 2.5, 2.7), exact to the unit:
 *
 *   sending amount = what is delivered at the rate + fixed fee + variable fee
 *
 * What is delivered is the receiving amount times the rate, rounded up. Where the sending amount is locked, the part
 * of it that buys no whole receiving unit is in the fixed fee, so the sum always holds.
 */
export interface Price {
  /** Sending units per receiving unit, both in their smallest. */
  readonly rate: Ratio
  readonly sendingAmount: bigint
  readonly receivingAmount: bigint
  /** Sending units that the receiving amount costs at the rate. */
  readonly deliveredAmount: bigint
  readonly fixedFee: bigint
  readonly variableFee: bigint
  readonly variableFeeBasisPoints: bigint
}

/** Fees of a corridor. A payment within one currency is free. */
interface FeeSchedule {
  readonly fixedUsdCents: bigint
  readonly variableBasisPoints: bigint
}

const SAME_CURRENCY: FeeSchedule = { fixedUsdCents: 0n, variableBasisPoints: 0n }
const CONVERSION: FeeSchedule = { fixedUsdCents: 10n, variableBasisPoints: 50n }
const BASIS_POINTS = 10_000n

export type LockedSide = 'SENDING' | 'RECEIVING'

/** The price for an amount locked on one side; undefined where there is no rate or the amount buys nothing. */
export function price(
  rates: RateProvider,
  sending: KnownCurrency,
  receiving: KnownCurrency,
  side: LockedSide,
  amount: bigint,
): Price | undefined {
  const rate = rateBetween(rates, sending, receiving)
  const centRate = rateBetween(rates, sending, 'USD')
  if (!rate || !centRate) return undefined
  const { fixedUsdCents, variableBasisPoints } = sending === receiving ? SAME_CURRENCY : CONVERSION
  const fixed = timesRoundedUp(fixedUsdCents, centRate)
  const sendingAmount =
    side === 'SENDING' ? amount : grossFor(timesRoundedUp(amount, rate) + fixed, variableBasisPoints)
  const variableFee = shareRoundedUp(sendingAmount, variableBasisPoints)
  const spendable = sendingAmount - fixed - variableFee
  const receivingAmount = side === 'RECEIVING' ? amount : dividedRoundedDown(spendable, rate)
  if (receivingAmount <= 0n) return undefined
  const deliveredAmount = timesRoundedUp(receivingAmount, rate)
  return {
    rate,
    sendingAmount,
    receivingAmount,
    deliveredAmount,
    fixedFee: sendingAmount - variableFee - deliveredAmount,
    variableFee,
    variableFeeBasisPoints: variableBasisPoints,
  }
}

/** All fees, in the sending currency. */
export function feesOf(price: Price): bigint {
  return price.fixedFee + price.variableFee
}

/** The rate as the API shows it: sending units per receiving unit, both in their smallest. */
export function exchangeRate(price: Price): number {
  return toNumber(price.rate)
}

/**
 * How the amounts came about (specification 2.7). Up to the precision of a double:
 * (sending amount − svcApiFixedFee) × svcApiMultiplier × counterpartyMultiplier = receiving amount.
 */
export function rateDetails(rates: RateProvider, sending: KnownCurrency, price: Price) {
  const millisatoshi = rateBetween(rates, sending, 'BTC')!
  const msatsPerUnit = 1000 / toNumber(millisatoshi)
  const afterFixedFee = Number(price.sendingAmount - price.fixedFee)
  return {
    counterpartyMultiplier: Number(price.receivingAmount) / (Number(price.deliveredAmount) * msatsPerUnit),
    counterpartyFixedFee: 0n,
    svcApiMultiplier: (msatsPerUnit * Number(price.deliveredAmount)) / afterFixedFee,
    svcApiFixedFee: price.fixedFee,
    svcApiVariableFeeRate: Number(price.variableFeeBasisPoints) / Number(BASIS_POINTS),
    svcApiVariableFeeAmount: Number(price.variableFee),
  }
}

/** An amount in words a person reads: `25.00 USD`. */
export function inWords(amount: bigint, currency: KnownCurrency): string {
  const { decimals } = CURRENCIES[currency]
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`} ${currency}`
}

/** The least gross amount that leaves `net` after its variable fee; it leaves exactly `net`. */
function grossFor(net: bigint, basisPoints: bigint): bigint {
  let gross = (net * BASIS_POINTS) / (BASIS_POINTS - basisPoints)
  while (gross - shareRoundedUp(gross, basisPoints) < net) gross++
  return gross
}

function shareRoundedUp(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + BASIS_POINTS - 1n) / BASIS_POINTS
}

function timesRoundedUp(amount: bigint, { numerator, denominator }: Ratio): bigint {
  return (amount * numerator + denominator - 1n) / denominator
}

function dividedRoundedDown(amount: bigint, { numerator, denominator }: Ratio): bigint {
  return amount <= 0n ? 0n : (amount * denominator) / numerator
}

/** The double nearest to a ratio whose parts may be beyond 2^53. */
function toNumber({ numerator, denominator }: Ratio): number {
  return Number(numerator) / Number(denominator)
}
