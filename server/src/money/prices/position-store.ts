import { requireValue } from '../../base/formats/require-value.ts'
import { INT64_MAX } from '../../base/json/int64.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { lookupByKey } from '../../storage/read/lookup.ts'
import type { FxInFlightRow, LedgerAccountRow } from '../../storage/rows/ledger.ts'

export type PositionRow = Pick<LedgerAccountRow, 'currency' | 'posted'> &
  Pick<FxInFlightRow, 'bought' | 'sold'>

type CurrencyPositionRow = Pick<LedgerAccountRow, 'platform_id' | 'currency' | 'posted'> &
  Pick<FxInFlightRow, 'sold'>

// OFFSET 0 stops the planner from reordering the joins, so that rows are always looked up by key.
const POSITION_BY_CURRENCY = lookupByKey<CurrencyPositionRow>(
  `SELECT asked.platform_id, asked.currency, coalesce(l.posted, 0) AS posted, coalesce(f.sold, 0) AS sold
   FROM unnest($1::uuid[], $2::text[]) AS asked (platform_id, currency)
   LEFT JOIN LATERAL (SELECT posted FROM ledger_accounts t
     WHERE t.platform_id = asked.platform_id AND t.currency = asked.currency AND t.name = 'fx' OFFSET 0) AS l ON true
   LEFT JOIN LATERAL (SELECT sold FROM fx_in_flight t
     WHERE t.platform_id = asked.platform_id AND t.currency = asked.currency OFFSET 0) AS f ON true`,
  'platform_id',
  'currency',
)

/**
 * The position in a currency, and the amount that counted conversions in progress will sell, read in one
 * snapshot.
 */
export async function selectPosition(
  op: Op,
  currency: string,
): Promise<Pick<CurrencyPositionRow, 'posted' | 'sold'>> {
  return requireValue(
    await op.find(POSITION_BY_CURRENCY, op.platform.id, currency),
    'position, which the query always returns',
  )
}

const COUNTED_CONVERSIONS = 'SELECT currency, 0, bought, sold FROM fx_in_flight WHERE platform_id = $1'

/** Reads all payments of the platform: an index on payments in progress would slow down every payment. */
const ALL_CONVERSIONS = `SELECT side.currency, 0, side.bought, side.sold
  FROM transactions t JOIN quotes q ON q.id = t.quote_id,
    LATERAL (VALUES (q.sending_currency, q.sending_amount - q.fees, 0), (q.receiving_currency, 0, q.receiving_amount))
      AS side (currency, bought, sold)
  WHERE t.platform_id = $1 AND t.kind = 'QUOTE' AND t.state = 'PROCESSING' AND q.sending_currency <> q.receiving_currency`

/**
 * The platform's positions and its conversions in progress, read in one snapshot. Includes all conversions,
 * or only those counted in `fx_in_flight`.
 */
export async function selectPositions(op: Op, scope: 'counted' | 'all'): Promise<PositionRow[]> {
  const { rows } = await op.db.query<PositionRow>(
    `SELECT currency, sum(posted)::bigint AS posted, least(sum(bought), ${INT64_MAX})::bigint AS bought,
       least(sum(sold), ${INT64_MAX})::bigint AS sold
     FROM (SELECT currency, posted, 0 AS bought, 0 AS sold FROM ledger_accounts WHERE platform_id = $1 AND name = 'fx'
       UNION ALL ${scope === 'counted' ? COUNTED_CONVERSIONS : ALL_CONVERSIONS}) AS p
     GROUP BY currency`,
    [extractUuid(op.platform.id)],
  )
  return rows
}
