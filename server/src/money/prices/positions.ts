import { type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { INT64_MAX } from '../../base/json/int64.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { type PositionRow, selectPosition, selectPositions } from './position-store.ts'

/** The currencies of a conversion, and the amount that it sells of the second one. */
type Conversion = Pick<QuoteRow, 'sending_currency' | 'receiving_currency' | 'receiving_amount'>

/**
 * Capacity is freed when payments in progress settle or the operator covers the position, which rarely
 * happens within seconds.
 */
const RETRY_AFTER_SECONDS = 60

/**
 * The `position_limit` of an executed quote: the maximum short position in the currency that it sells. The
 * database checks it when it counts the quote. Null without limits or without a conversion.
 */
export function getPositionLimit(op: Op, conversion: Conversion): bigint | null {
  const { positionLimits } = op
  if (positionLimits === undefined || conversion.sending_currency === conversion.receiving_currency)
    return null
  // Currencies without a limit are counted too, so that their conversions in progress are known.
  return positionLimits.get(conversion.receiving_currency) ?? INT64_MAX
}

/**
 * Checks that a conversion stays within the position limit. The database checks it again when the conversion
 * is executed. Throws 503 `POSITION_LIMIT_REACHED`.
 */
export async function checkPosition(op: Op, conversion: Conversion): Promise<void> {
  const limit = getPositionLimit(op, conversion)
  if (limit === null) return
  const currency = conversion.receiving_currency
  const { posted, sold } = await selectPosition(op, currency)
  if (conversion.receiving_amount > limit + posted - sold)
    throw new ApiError('POSITION_LIMIT_REACHED', {
      details: { currency },
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    })
}

/** The platform's positions, sorted by currency code. */
export async function findPositions(op: Op): Promise<PositionRow[]> {
  const rows = await selectPositions(op, op.positionLimits === undefined ? 'all' : 'counted')
  const known = new Set<KnownCurrency>(rows.map(({ currency }) => currency))
  const unused = [...(op.positionLimits?.keys() ?? [])].filter((currency) => !known.has(currency))
  return [...rows, ...unused.map((currency) => ({ currency, posted: 0n, bought: 0n, sold: 0n }))].sort(
    (a, b) => (a.currency < b.currency ? -1 : 1),
  )
}

/** A position as the API shows it. */
export function toPositionView(op: Op, { currency, posted, bought, sold }: PositionRow) {
  const limit = op.positionLimits?.get(currency)
  return {
    currency: toCurrencyRecord(currency),
    position: posted,
    inFlight: { bought, sold },
    ...(limit === undefined ? {} : { limit, available: limit + posted - sold }),
  }
}
