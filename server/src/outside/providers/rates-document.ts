import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { parse } from 'lossless-json'
import { isNetworkAsset, type NetworkAsset } from '../../base/pricing/network-assets.ts'
import { type RateTable, type Ratio, toRatio } from '../../base/pricing/ratios.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/
/** A decimal number in JSON syntax, with no more digits than a rate can have. */
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/
/** One unit is worth at most a trillion dollars, and at least a trillionth of a dollar. */
const USD_PER_UNIT_MAX = 10n ** 12n

/** A rates response is invalid. The message is a single line for the log. */
export class RatesError extends Error {}

/**
 * Parses the response of a rates source:
 *
 * { "base": "USD", "updatedAt": "2026-01-02T03:04:05Z", "rates": { "EUR": "1.16", "BTC": "95000" } }
 *
 * A rate is US dollars for one unit, as a decimal string; a JSON number is read by its digits, never as a
 * double. Unknown currencies are ignored, missing ones have no rate, and USD is 1; ETH, POL, SOL and TRX (for
 * network fees) are optional; BTC is required, because `rateDetails` counts in thousandths of a satoshi
 * (specification 2.7). Throws RatesError if any part is invalid: a table is used whole or not at all.
 */
export function parseRates(text: string): RateTable {
  const document = toPropertyMap(parseExactly(text))
  if (document?.get('base') !== 'USD') throw new RatesError('"base" is not "USD"')
  const updatedAt = parseTime(document.get('updatedAt'))
  if (updatedAt === undefined) throw new RatesError('"updatedAt" is not a date-time')
  const rates = toPropertyMap(document.get('rates'))
  if (rates === undefined) throw new RatesError('"rates" is not an object')
  const table = new Map<KnownCurrency | NetworkAsset, Ratio>([['USD', toRatio('1')]])
  for (const [code, value] of rates) {
    if (!isKnownCurrency(code) && !isNetworkAsset(code)) continue
    const rate = parseRate(value)
    if (rate === undefined)
      throw new RatesError(`"rates.${code}" is not a decimal number in the allowed range`)
    if (code === 'USD' && rate.numerator !== rate.denominator) throw new RatesError('"rates.USD" is not 1')
    table.set(code, rate)
  }
  if (!table.has('BTC')) throw new RatesError('"rates.BTC" is missing')
  return { updatedAt, usdPerUnit: (currency) => table.get(currency) }
}

/** Parses JSON and keeps its numbers as strings. */
function parseExactly(text: string): unknown {
  try {
    return parse(text, undefined, { parseNumber: (digits) => digits })
  } catch {
    throw new RatesError('the response is not JSON')
  }
}

function toPropertyMap(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined
}

function parseTime(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function parseRate(value: unknown): Ratio | undefined {
  const [, whole, fraction = '', exponent = '0'] = (typeof value === 'string' && DECIMAL.exec(value)) || []
  if (whole === undefined) return undefined
  const { numerator, denominator } = toRatio(`${whole}.${fraction}`)
  const power = BigInt(exponent)
  const rate = {
    numerator: numerator * 10n ** (power > 0n ? power : 0n),
    denominator: denominator * 10n ** (power < 0n ? -power : 0n),
  }
  const isInRange =
    rate.numerator * USD_PER_UNIT_MAX >= rate.denominator &&
    rate.numerator <= rate.denominator * USD_PER_UNIT_MAX
  return isInRange ? rate : undefined
}
