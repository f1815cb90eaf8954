import type { Op } from '../../kernel/operation/app.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { QuoteRow, SigningRequestRow } from '../../storage/rows/tables.ts'

const BY_ID = lookupById('quotes')
const PAYLOAD_BY_ID = lookupByKey<Pick<SigningRequestRow, 'id' | 'platform_id' | 'payload'>>(
  'SELECT id, platform_id, payload FROM signing_requests WHERE id = ANY ($1::uuid[])',
  'id',
)

export async function selectQuote(op: Op, id: string): Promise<QuoteRow | undefined> {
  return op.find(BY_ID, id)
}

export interface QuoteFilters {
  readonly customerId?: string
  readonly status?: QuoteRow['state']
  readonly startDate?: string
  readonly endDate?: string
}

/** A page of the matching quotes. */
export function selectQuotes(op: Op, { customerId, status, startDate, endDate }: QuoteFilters) {
  return op.read
    .selectFrom('quotes')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'state', '=', status))
    .$call((q) => whereIfDefined(q, 'created_at', '>=', parseOptionalTime(startDate)))
    .$call((q) => whereIfDefined(q, 'created_at', '<=', parseOptionalTime(endDate)))
}

/**
 * A signing request's payload, its stamp, and the public key of the session that stamped it. Stamp and key
 * are null until the request is used.
 */
type OrderRow = Pick<SigningRequestRow, 'id' | 'platform_id' | 'payload' | 'stamp'> & {
  readonly public_key: string | null
}

const ORDER_BY_ID = lookupByKey<OrderRow>(
  `SELECT r.id, r.platform_id, r.payload, r.stamp, s.public_key
   FROM signing_requests r LEFT JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY ($1::uuid[])`,
  'id',
)

/** A signing request's payload, with its stamp and signer. */
export async function selectOrder(op: Op, signingRequestId: string): Promise<OrderRow> {
  const row = await op.find(ORDER_BY_ID, signingRequestId)
  if (!row) throw new Error(`Signing request ${signingRequestId} does not exist`)
  return row
}

/** The exact string that a wallet signs to execute a quote. */
export async function selectPayload(op: Op, signingRequestId: string): Promise<string> {
  const row = await op.find(PAYLOAD_BY_ID, signingRequestId)
  if (!row) throw new Error(`Signing request ${signingRequestId} does not exist`)
  return row.payload
}
