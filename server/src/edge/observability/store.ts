import { IS_SENT, nextBeyondCursor } from '../../kernel/outbox/endpoint-feed.ts'
import { LANE_NAMES, type LaneName } from '../../kernel/outbox/lanes.ts'
import { IS_OF } from '../../kernel/outbox/store.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'

/** Due jobs of one kind, according to the clocks of their platforms. */
export interface DueWork {
  readonly kind: string
  readonly count: number
  /** Seconds since the oldest one fell due. */
  readonly lagSeconds: number
}

/**
 * The maximum number of due jobs read per platform and lane, so that measuring a backlog does not worsen it.
 */
const JOBS_READ_MAX = 100

const earliest = (lane: LaneName) => `
  (SELECT kind, due_at FROM jobs WHERE platform_id = p.id AND due_at <= p.now AND ${IS_OF[lane]}
   ORDER BY due_at, id LIMIT $2)`

const DUE_WORK = `
SELECT j.kind, count(*)::int AS count, max(extract(epoch FROM p.now - j.due_at))::float8 AS "lagSeconds"
FROM (SELECT id, $1::timestamptz + clock_offset_ms * interval '1 millisecond' AS now
      FROM platforms WHERE closed_at IS NULL) p
CROSS JOIN LATERAL (${LANE_NAMES.map(earliest).join(' UNION ALL ')}) j
GROUP BY j.kind`

/**
 * Counts due jobs, claimed or not, by kind. Omits kinds without due jobs, and possibly kinds outside the
 * oldest hundred of their lane. `now` is real time.
 */
export async function findDueWork(db: Database, now: Date): Promise<DueWork[]> {
  const { rows } = await db.query<DueWork>(DUE_WORK, [now, JOBS_READ_MAX])
  return rows
}

/** The latest reconciliation of a rail in one currency. */
export interface LatestReconciliation {
  readonly rail: string
  readonly currency: string
  /** Seconds since its statement arrived. */
  readonly ageSeconds: number
  /** The number of differences by reason. */
  readonly differences: Readonly<Record<string, number>>
}

// Each rail belongs to one platform.
const RECONCILIATIONS = `
SELECT s.rail, s.currency, extract(epoch FROM $1::timestamptz - s.received_at)::float8 AS "ageSeconds",
  coalesce((SELECT jsonb_object_agg(reason, n) FROM (
    SELECT d->>'reason' AS reason, count(*)::int AS n FROM jsonb_array_elements(s.differences) AS d GROUP BY 1) AS r), '{}')
    AS differences
FROM (SELECT DISTINCT ON (platform_id, rail, currency) rail, currency, received_at, differences FROM rail_statements
      WHERE state <> 'WAITING' ORDER BY platform_id, rail, currency, date DESC) AS s`

/** The latest reconciliation for each rail and currency. `now` is real time. */
export async function findReconciliations(db: Database, now: Date): Promise<LatestReconciliation[]> {
  const { rows } = await db.query<LatestReconciliation>(RECONCILIATIONS, [now])
  return rows
}

/** The position up to which the chain of a rail has been followed. */
export interface FollowedChain {
  readonly rail: string
  readonly block: number
  /** The age of the last followed block. */
  readonly ageSeconds: number
}

const CHAINS = `
SELECT rail, followed_block::float8 AS block, extract(epoch FROM $1::timestamptz - followed_time)::float8 AS "ageSeconds"
FROM chains`

/** The position up to which each chain has been followed. `now` is real time. */
export async function findChains(db: Database, now: Date): Promise<FollowedChain[]> {
  const { rows } = await db.query<FollowedChain>(CHAINS, [now])
  return rows
}

/** The maximum number of queue rows to count. */
const UNCHAINED_READ_MAX = 10_000

const UNCHAINED = `
SELECT coalesce(sum(cardinality(transfer_ids)), 0)::float8 AS count
FROM (SELECT transfer_ids FROM proof_queue LIMIT ${UNCHAINED_READ_MAX}) AS queue`

/** The number of ended transfers that are not in the hash chain yet. */
export async function findUnchained(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(UNCHAINED)
  return getOnlyRow(rows).count
}

/** At most `max` platforms with low-water marks, oldest first. */
export async function findMarkedPlatforms(db: Database, max: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM platforms WHERE closed_at IS NULL AND config ? 'watchConfig' ORDER BY created_at, id LIMIT $1`,
    [max],
  )
  return rows.map(({ id }) => id)
}

/** The delay of a webhook endpoint. */
export interface EndpointLag {
  readonly endpoint: string
  /** The age of the oldest event it has not received, by the platform's clock. */
  readonly seconds: number
}

const LAGGING_MAX = 10
/** The number of events after a cursor that are searched for a subscribed type. */
const BEHIND_CURSOR_MAX = 100

const LAGS = `
SELECT e.id AS endpoint, extract(epoch FROM $1::timestamptz + p.clock_offset_ms * interval '1 millisecond' - b.oldest)::float8
  AS seconds
FROM webhook_endpoints e JOIN platforms p ON p.id = e.platform_id AND p.closed_at IS NULL
CROSS JOIN LATERAL (
  SELECT least(
    (SELECT min(CASE WHEN u.is_apart THEN u.created_at ELSE v.created_at END)
     FROM undelivered_events u JOIN events v ON v.id = u.id
     WHERE u.endpoint_id = e.id AND u.gave_up_at IS NULL),
    (SELECT min(v.created_at) FROM ${nextBeyondCursor(BEHIND_CURSOR_MAX)} WHERE ${IS_SENT})) AS oldest) AS b
WHERE (e.state = 'ENABLED' OR (e.state = 'DISABLED' AND e.role = 'CONFIGURED')) AND e.deleted_at IS NULL AND b.oldest IS NOT NULL
ORDER BY seconds DESC LIMIT ${LAGGING_MAX}`

/**
 * The ten webhook endpoints that are furthest behind: enabled ones, and configured ones even if disabled. A
 * redelivery counts from its request. `now` is real time.
 */
export async function findEndpointLags(db: Database, now: Date): Promise<EndpointLag[]> {
  const { rows } = await db.query<EndpointLag>(LAGS, [now])
  return rows
}
