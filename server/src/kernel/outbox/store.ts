import { buildTable } from '@countersign/contract/core/objects'
import { requireValue } from '../../base/formats/require-value.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import type { JobKind, JobRow, SharedPayload } from '../../storage/rows/job.ts'
import type { NewJob } from '../../storage/rows/new-job.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import type { App } from '../operation/app.ts'
import type { Candidate, Offer } from './capacity.ts'
import { LANE_NAMES, LANES, type LaneName } from './lanes.ts'

/** A due job with its platform. `attempts` is the number of earlier attempts. */
export interface DueJob<Kind extends JobKind = JobKind> extends NewJob<Kind> {
  readonly platform: PlatformRow
}

/** A claimed row with its job, or with the jobs that share it. */
export interface DueRow {
  readonly id: string
  readonly jobs: readonly DueJob[]
}

const KINDS_APART = LANE_NAMES.flatMap((lane) => [...LANES[lane].kinds])

/** SQL: the kinds of each lane, written as in the indexes `jobs_due_…`. */
export const IS_OF = buildTable(LANE_NAMES, (lane) =>
  lane === 'main' ? `kind NOT IN (${toSqlList(KINDS_APART)})` : `kind IN (${toSqlList(LANES[lane].kinds)})`,
)

function toSqlList(values: readonly string[]): string {
  return values.map((word) => `'${word}'`).join(', ')
}

const IS_FREE = '(claimed_until IS NULL OR claimed_until <= $1)'
const TIME_OF_PLATFORM = `$1::timestamptz + p.clock_offset_ms * interval '1 millisecond'`

/** SQL: true if a platform has due jobs. Uses the index of each lane. */
const HAS_DUE = LANE_NAMES.map(
  (lane) =>
    `EXISTS (SELECT 1 FROM jobs WHERE platform_id = p.id AND due_at <= ${TIME_OF_PLATFORM} AND ${IS_OF[lane]})`,
).join(' OR ')

/**
 * SQL: the earliest jobs, one platform after another. `rank` is the position of a job within its platform.
 */
const dueJobsSql = (lane: LaneName, limit: string, full: string) => `
  (SELECT j.id, p.id AS "platformId", '${lane}' AS lane, j.rank, j.due_at
   FROM platform p CROSS JOIN LATERAL (
     SELECT id, due_at, row_number() OVER (ORDER BY due_at, id) AS rank FROM jobs
     WHERE platform_id = p.id AND due_at <= p.now AND ${IS_FREE} AND ${IS_OF[lane]}
     ORDER BY due_at, id LIMIT ${limit}) j
   WHERE p.id <> ALL (${full}::uuid[])
   ORDER BY j.rank, j.due_at, j.id LIMIT ${limit})`

const DUE = `
WITH platform AS MATERIALIZED (
  SELECT p.id, ${TIME_OF_PLATFORM} AS now FROM platforms p
  WHERE p.closed_at IS NULL AND (${HAS_DUE}))
SELECT id, lane, "platformId" FROM (
  ${LANE_NAMES.map((lane, index) => dueJobsSql(lane, `$${2 * index + 2}::integer`, `$${2 * index + 3}`)).join('\n  UNION ALL ')}) AS due
ORDER BY rank, due_at, id`

/** Unclaimed due jobs in the order in which to start them, up to the free capacity of each lane. */
export async function selectDue(app: App, offer: Offer): Promise<Candidate[]> {
  const ofLanes = LANE_NAMES.flatMap((lane) => [offer[lane].free, offer[lane].full.map(extractUuid)])
  return (await app.db.query<Candidate>(DUE, [app.clock(), ...ofLanes], { connection: 'fast' })).rows
}

/**
 * Claims are in real time (`$1`). Rows are found, locked and updated by id, so that every query plan reads
 * few rows.
 */
const CLAIM = `
UPDATE jobs SET attempts = attempts + 1, claimed_until = $1::timestamptz + interval '1 second' * CASE
    ${LANE_NAMES.filter((lane) => lane !== 'main')
      .map((lane) => `WHEN ${IS_OF[lane]} THEN ${LANES[lane].claimSeconds}`)
      .join(' ')}
    ELSE ${LANES.main.claimSeconds} END
WHERE id = ANY (ARRAY(
  SELECT j.id FROM jobs j JOIN platforms p ON p.id = j.platform_id
  WHERE j.id = ANY ($2::uuid[]) AND ${IS_FREE} AND j.due_at <= ${TIME_OF_PLATFORM} AND p.closed_at IS NULL
  FOR UPDATE OF j SKIP LOCKED))
RETURNING *`

type StoredRow = Omit<JobRow, 'payload'> & { readonly payload: JobRow['payload'] | SharedPayload }

/** Claims rows that are unclaimed and due by their platform's clock. Returns them, earliest first. */
export async function claimDue(app: App, ids: readonly string[]): Promise<DueRow[]> {
  const { rows } = await app.db.query<StoredRow>(CLAIM, [app.clock(), ids.map(extractUuid)], {
    connection: 'fast',
  })
  return Promise.all(
    rows.sort(compareByTime).map(async (row) => {
      const platform = requireValue(
        await app.lookup(BARE_PLATFORM_BY_ID, row.platform_id),
        'platform of a due job',
      )
      const claimed = { ...row, attempts: row.attempts - 1, platform: await app.withConfig(platform) }
      const payloads = 'each' in row.payload ? row.payload.each : [row.payload]
      return { id: row.id, jobs: payloads.map((payload) => ({ ...claimed, payload })) }
    }),
  )
}

/** SQL: due by the clock of platform `$2`. */
const IS_DUE = `platform_id = $2
  AND due_at <= (SELECT ${TIME_OF_PLATFORM} FROM platforms p WHERE p.id = $2 AND p.closed_at IS NULL)`

/** Releases the claims of exited processes. Only for a database used by a single process. */
export async function releaseClaims(app: App): Promise<void> {
  await app.db.query('UPDATE jobs SET claimed_until = NULL WHERE claimed_until IS NOT NULL')
}

/** The due jobs of one platform, claimed or not, earliest first. */
export async function selectDueJobs(
  app: App,
  platformId: string,
  limit: number,
): Promise<Pick<JobRow, 'id' | 'kind'>[]> {
  const ofLanes = LANE_NAMES.map(
    (lane) => `(SELECT id, kind, due_at FROM jobs WHERE ${IS_DUE} AND ${IS_OF[lane]}
       ORDER BY due_at, id LIMIT $3)`,
  )
  const { rows } = await app.db.query<Pick<JobRow, 'id' | 'kind'>>(
    `SELECT id, kind FROM (${ofLanes.join(' UNION ALL ')}) AS j ORDER BY due_at, id LIMIT $3`,
    [app.clock(), extractUuid(platformId), limit],
  )
  return rows
}

/** When the next job of a platform falls due, if that is not after `until`. */
export async function selectNextDue(app: App, platformId: string, until: Date): Promise<Date | undefined> {
  const ofLanes = LANE_NAMES.map(
    (lane) => `(SELECT due_at FROM jobs WHERE platform_id = p.id AND due_at <= $2 AND ${IS_OF[lane]}
       ORDER BY due_at LIMIT 1)`,
  )
  const { rows } = await app.db.query<{ due_at: Date }>(
    `SELECT j.due_at FROM platforms p CROSS JOIN LATERAL (${ofLanes.join(' UNION ALL ')}) AS j
     WHERE p.id = $1 AND p.closed_at IS NULL ORDER BY j.due_at LIMIT 1`,
    [extractUuid(platformId), until],
  )
  return rows[0]?.due_at
}

export async function selectJobExists(app: App, id: string): Promise<boolean> {
  return (
    (await app.read.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  )
}

function compareByTime(left: StoredRow, right: StoredRow): number {
  return left.due_at.getTime() - right.due_at.getTime() || (left.id < right.id ? -1 : 1)
}
