import { isObject } from '@countersign/contract/core/decode'
import { buildId, deriveUuid, extractUuid, NIL_UUID } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import type { RailEventRow } from '../rows/rail.ts'
import type { Walked } from './erase-logs.ts'
import { ROWS_MAX } from './erase-rows.ts'
import { ERASED_RECORD, OWN_DEPOSITS } from './table-columns.ts'

type Report = Pick<RailEventRow, 'id' | 'rail' | 'body'>

const OWN = `
SELECT id FROM transactions WHERE id = ANY ($2::uuid[]) AND (customer_id = $1 OR id IN ${OWN_DEPOSITS})
UNION ALL SELECT id FROM quotes WHERE id = ANY ($2::uuid[]) AND customer_id = $1
UNION ALL SELECT d.id FROM deposits AS d WHERE d.id = ANY ($2::uuid[]) AND EXISTS (
  WITH RECURSIVE part AS (
    SELECT d.id, d.transaction_id
    UNION ALL SELECT p.id, p.transaction_id FROM part JOIN deposits AS p ON p.parent_id = part.id)
  SELECT FROM part JOIN transactions AS t ON t.id = part.transaction_id WHERE t.customer_id = $1)`

/** Names of reports from another kind of file that confirmed deposits of the customer. */
const CONFIRMATIONS = `
SELECT d.details->>'confirmedBy' AS name FROM deposits AS d JOIN transactions AS t ON t.id = d.transaction_id
WHERE t.customer_id = $1 AND d.details->>'confirmedBy' = ANY ($2::text[])`

/**
 * Erases rail reports about the customer's payments and deposits. No index finds them, so each step scans
 * some of the reports.
 */
export async function eraseRailEvents(
  db: Database,
  { customer, platform }: { readonly customer: string; readonly platform: string },
  after?: string,
): Promise<Walked> {
  const { rows } = await db.query<Report & { readonly is_left: boolean }>(
    `SELECT id, rail, body, platform_id = $1 AND NOT body ? 'isErased' AS is_left FROM rail_events
     WHERE id > $2 ORDER BY id LIMIT $3`,
    [platform, after ?? NIL_UUID, ROWS_MAX],
  )
  const subjects = new Map(rows.filter(({ is_left }) => is_left).map((row) => [row.id, listSubjects(row)]))
  const names = new Map(rows.map(({ id, body }) => [id, String(body.id)]))
  const [ownSubjects, confirmations] = await Promise.all([
    db.query<{ id: string }>(OWN, [customer, [...subjects.values()].flat()]),
    db.query<{ name: string }>(CONFIRMATIONS, [customer, [...names.values()]]),
  ])
  const isOwn = new Set(ownSubjects.rows.map(({ id }) => extractUuid(id)))
  const isConfirmation = new Set(confirmations.rows.map(({ name }) => name))
  const reportIds = [...subjects]
    .filter(
      ([id, ids]) => ids.some((subject) => isOwn.has(subject)) || isConfirmation.has(names.get(id) ?? ''),
    )
    .map(([id]) => extractUuid(id))
  if (reportIds.length > 0)
    await db.query(
      `UPDATE rail_events SET note = CASE WHEN note IS NOT NULL THEN 'erased' END,
         body = jsonb_build_object('id', body->'id', 'type', body->'type') || '${ERASED_RECORD}' WHERE id = ANY ($1::uuid[])`,
      [reportIds],
    )
  const last = rows.at(-1)
  return rows.length < ROWS_MAX || !last
    ? { found: reportIds.length }
    : { found: reportIds.length, after: extractUuid(last.id) }
}

/** The subjects of a report: payments by id, deposits by the rail's own id. */
function listSubjects({ rail, body: { data } }: Report): string[] {
  if (!isObject(data)) return []
  const { id, depositId } = data
  return [
    ...(typeof id === 'string' ? [extractUuid(id)] : []),
    ...(typeof depositId === 'string'
      ? [extractUuid(buildId('Deposit', deriveUuid(`Deposit ${rail} ${depositId}`)))]
      : []),
  ]
}
