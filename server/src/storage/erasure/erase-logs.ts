import { ERROR_PAGE, ERRORS } from '@countersign/contract/core/errors'
import { toJson } from '../../base/json/json.ts'
import { extractUuid, NIL_UUID } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import { getOnlyRow } from '../engine/port.ts'
import { ROWS_MAX } from './erase-rows.ts'
import { OWN_ACCOUNTS, OWN_DEPOSITS } from './table-columns.ts'

/**
 * Progress through rows that no index finds by customer: each step scans some rows or hours for the ids of
 * the customer's records. `after` is where the step ended. It is absent once the scan is complete.
 */
export interface Walked {
  readonly found: number
  readonly after?: string
  /** True if a bank file that is not written yet still needs some of the rows. */
  readonly isWaiting?: boolean
}

/**
 * A pattern that matches the ids by which requests and responses name the customer's records. Payments show
 * the id of their customer.
 */
export async function findNames(db: Database, customer: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT $1::uuid AS id
     UNION ALL SELECT id FROM internal_accounts WHERE customer_id = $1
     UNION ALL SELECT id FROM external_accounts WHERE customer_id = $1
     UNION ALL SELECT id FROM account_changes WHERE customer_id = $1
     UNION ALL SELECT id FROM account_verifications WHERE customer_id = $1
     UNION ALL SELECT id FROM ${OWN_DEPOSITS} AS deposits (id)
     UNION ALL SELECT id FROM mandates WHERE customer_id = $1
     UNION ALL SELECT id FROM beneficial_owners WHERE customer_id = $1
     UNION ALL SELECT id FROM documents WHERE customer_id = $1
     UNION ALL SELECT id FROM verifications WHERE customer_id = $1
     UNION ALL SELECT id FROM credentials WHERE account_id IN ${OWN_ACCOUNTS}
     UNION ALL SELECT id FROM cards WHERE cardholder_id = $1
     UNION ALL SELECT id FROM agents WHERE customer_id = $1
     UNION ALL SELECT id FROM invitations WHERE customer_id = $1`,
    [customer],
  )
  // An invitation is identified by its code.
  return rows.map(({ id }) => (id.includes(':') ? extractUuid(id) : id)).join('|')
}

const LOGGED = ['query', 'idempotency_key', 'request_body', 'response_body'] as const
/** For backends and team members these fields say who called, so they are kept. */
const OF_PERSONS = ['actor_name', 'address', 'user_agent'] as const

const ERASE_LOGGED = `
WITH page AS MATERIALIZED (
    SELECT created_at, id, concat_ws(' ', path, query, actor_id, request_body, response_body) ~* $2 AS is_own
    FROM logged_requests WHERE platform_id = $1 AND (created_at, id) > ($3, $4::uuid) ORDER BY created_at, id LIMIT $5),
  changed AS (
    UPDATE logged_requests AS l SET
      ${LOGGED.map((column) => `${column} = NULL`).join(', ')},
      ${OF_PERSONS.map((column) => `${column} = CASE WHEN actor_type IN ('CUSTOMER', 'AGENT') THEN NULL ELSE ${column} END`).join(', ')}
    FROM page AS p
    WHERE p.is_own AND l.platform_id = $1 AND l.created_at = p.created_at AND l.id = p.id
      AND (num_nonnulls(${LOGGED.map((column) => `l.${column}`).join(', ')}) > 0 OR
        (actor_type IN ('CUSTOMER', 'AGENT') AND num_nonnulls(${OF_PERSONS.map((column) => `l.${column}`).join(', ')}) > 0))
    RETURNING 1)
SELECT (SELECT count(*) FROM page)::integer AS seen, last.created_at, last.id
FROM (SELECT 1) AS one LEFT JOIN LATERAL (SELECT created_at, id FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS last ON true`

/**
 * Removes the content of logged requests that name the customer's address or records. These are not counted
 * as found, because each request for the state of the erasure adds another one.
 */
export async function eraseLoggedRequests(
  db: Database,
  platform: string,
  { names, umaAddress }: { readonly names: string; readonly umaAddress: string },
  after?: string,
): Promise<Walked> {
  const [at = '-infinity', id = NIL_UUID] = after?.split(' ') ?? []
  const { rows } = await db.query<{
    seen: number
    created_at: Date | null
    id: string | null
  }>(ERASE_LOGGED, [platform, `${names}|${umaAddress.replace(/[$.+]/g, '\\$&')}`, at, id, ROWS_MAX])
  const { seen, created_at, id: last } = getOnlyRow(rows)
  if (seen < ROWS_MAX || !created_at || !last) return { found: 0 }
  return { found: 0, after: `${created_at.toISOString()} ${extractUuid(last)}` }
}

const HOUR_MS = 3_600_000
const WINDOW_HOURS = 6

/** The response to a replayed call for an erased customer. */
function buildCustomerDeletedBody(origin: string): string {
  const { status, message } = ERRORS.CUSTOMER_DELETED
  const docUrl = `${origin}${ERROR_PAGE}#CUSTOMER_DELETED`
  return toJson({ status, code: 'CUSTOMER_DELETED', message, docUrl })
}

/** Stored responses are found by expiry. A sealed response reveals nothing, and is removed. */
const ERASE_KEPT = `
WITH found AS MATERIALIZED (
    SELECT ctid AS place, body LIKE '{%' AS is_shown FROM idempotency_keys
    WHERE expires_at >= $2 AND expires_at < $3 AND platform_id = $1 AND (scope ~ $4 OR body ~ $4) AND body <> $5 LIMIT $6 FOR UPDATE),
  removed AS (DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(SELECT place FROM found WHERE NOT is_shown)) RETURNING 1),
  changed AS (UPDATE idempotency_keys SET status = ${ERRORS.CUSTOMER_DELETED.status}, body = $5
    WHERE ctid = ANY (ARRAY(SELECT place FROM found WHERE is_shown)) RETURNING 1)
SELECT (SELECT count(*) FROM found)::integer AS found`

/**
 * Replaces stored idempotent responses with errors, so that a replay does not create anything again. They
 * expire after `keptDays`, so responses about the customer were stored at most `keptDays` before the day of
 * its deletion.
 */
export async function eraseStoredResponses(
  db: Database,
  platform: string,
  { names, deletedAt }: { readonly names: string; readonly deletedAt: Date },
  { keptDays, origin }: { readonly keptDays: number; readonly origin: string },
  after?: string,
): Promise<Walked> {
  const from = after === undefined ? deletedAt : new Date(after)
  const until = new Date(from.getTime() + WINDOW_HOURS * HOUR_MS)
  const { rows } = await db.query<{ found: number }>(ERASE_KEPT, [
    platform,
    from,
    until,
    names,
    buildCustomerDeletedBody(origin),
    ROWS_MAX,
  ])
  const { found } = getOnlyRow(rows)
  if (found === ROWS_MAX) return { found, after: from.toISOString() }
  const isLast = until.getTime() > deletedAt.getTime() + (keptDays + 1) * 24 * HOUR_MS
  return isLast ? { found } : { found, after: until.toISOString() }
}
