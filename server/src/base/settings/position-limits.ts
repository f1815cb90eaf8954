import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../json/int64.ts'
import { ConfigError } from './config-error.ts'

/** Limits on each platform's short position, by currency, in the smallest unit. */
export type PositionLimits = ReadonlyMap<KnownCurrency, bigint>

const FORM =
  'FX_POSITION_LIMITS must be like EUR:100000000,USD:50000000: a currency and a number in its smallest unit'

/** Reads FX_POSITION_LIMITS, such as `EUR:100000000,USD:50000000`. Throws ConfigError. */
export function readPositionLimits({ FX_POSITION_LIMITS }: Readonly<Record<string, string | undefined>>): {
  readonly positionLimits?: PositionLimits
} {
  if (!FX_POSITION_LIMITS) return {}
  const limits = new Map<KnownCurrency, bigint>()
  for (const part of FX_POSITION_LIMITS.split(',')) {
    const [, currency = '', amount = ''] = /^\s*([A-Z0-9]{3,8}):(\d{1,19})\s*$/.exec(part) ?? []
    if (amount === '' || BigInt(amount) > INT64_MAX) throw new ConfigError(`${FORM}, not "${part}".`)
    if (!isKnownCurrency(currency))
      throw new ConfigError(
        `FX_POSITION_LIMITS names the currency "${currency}", which this server does not support.`,
      )
    if (limits.has(currency)) throw new ConfigError(`FX_POSITION_LIMITS names ${currency} twice.`)
    limits.set(currency, BigInt(amount))
  }
  return { positionLimits: limits }
}
