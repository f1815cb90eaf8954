import { currencyRecord, type KnownCurrency } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { type PositionRow, selectPosition, selectPositions } from './position-store.ts'

/** The currencies and amounts that a conversion buys and sells. */
type Conversion = Pick<QuoteRow, 'sending_currency' | 'receiving_currency' | 'receiving_amount'>

/**
 * Capacity is freed by settlements of payments in progress, and by covering the position: seldom within
 * seconds.
 */
const RETRY_AFTER_SECONDS = 60

/**
 * An executed quote's `position_limit`: the maximum short position in the currency that it sells. The
 * database checks it as it counts the quote. Null if nothing is limited, or nothing is converted.
 */
export function limitFor(op: Op, conversion: Conversion): bigint | null {
  const { positionLimits } = op
  if (positionLimits === undefined || conversion.sending_currency === conversion.receiving_currency)
    return null
  // Also counts currencies without a limit, so that their conversions in progress are known.
  return positionLimits.get(conversion.receiving_currency) ?? INT64_MAX
}

/**
 * Checks that a conversion does not exceed the limit of the position. The database checks it again when the
 * conversion is executed. Error: 503 `POSITION_LIMIT_REACHED`.
 */
export async function checkPosition(op: Op, conversion: Conversion): Promise<void> {
  const limit = limitFor(op, conversion)
  if (limit === null) return
  const currency = conversion.receiving_currency
  const { posted, sold } = await selectPosition(op, currency)
  if (conversion.receiving_amount > limit + posted - sold)
    throw new ApiError('POSITION_LIMIT_REACHED', {
      details: { currency },
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    })
}

/** The platform's positions, by the codes of their currencies. */
export async function findPositions(op: Op): Promise<PositionRow[]> {
  const rows = await selectPositions(op, op.positionLimits === undefined ? 'all' : 'counted')
  const known = new Set<KnownCurrency>(rows.map(({ currency }) => currency))
  const untouched = [...(op.positionLimits?.keys() ?? [])].filter((currency) => !known.has(currency))
  return [...rows, ...untouched.map((currency) => ({ currency, posted: 0n, bought: 0n, sold: 0n }))].sort(
    (a, b) => (a.currency < b.currency ? -1 : 1),
  )
}

/** A position as the API shows it. */
export function positionView(op: Op, { currency, posted, bought, sold }: PositionRow) {
  const limit = op.positionLimits?.get(currency)
  return {
    currency: currencyRecord(currency),
    position: posted,
    inFlight: { bought, sold },
    ...(limit === undefined ? {} : { limit, available: limit + posted - sold }),
  }
}
