import type { App } from '../app.ts'
import { rowByKey } from '../db/lookup.ts'
import type { JobRow, PlatformRow } from '../db/tables.ts'
import { LANE_NAMES, LANES, type LaneName } from './lanes.ts'

/** Work that is due, with the platform that it is of; `attempts` are those before this one. */
export type DueJob = JobRow & { readonly platform: PlatformRow; readonly known?: unknown }

const PLATFORM_BY_ID = rowByKey<PlatformRow>('SELECT * FROM platforms WHERE id = ANY ($1::text[])', 'id')

/** The kinds of each lane, as the indexes `jobs_due_…` name them. */
export const IS_OF: Readonly<Record<LaneName, string>> = {
  main: `kind NOT IN ('message.deliver', 'webhook.deliver')`,
  messages: `kind = 'message.deliver'`,
  webhooks: `kind = 'webhook.deliver'`,
}

const IS_FREE = '(claimed_until IS NULL OR claimed_until <= $1)'
const TIME_OF_PLATFORM = `$1::timestamptz + p.clock_offset_ms * interval '1 millisecond'`

const earliest = (lane: LaneName, limit: string) => `
  (SELECT j.id FROM platform p CROSS JOIN LATERAL (
     SELECT id, due_at FROM jobs WHERE platform_id = p.id AND due_at <= p.now AND ${IS_FREE} AND ${IS_OF[lane]}
     ORDER BY due_at, id LIMIT ${limit}) j
   ORDER BY j.due_at, j.id LIMIT ${limit})`

/** Whether a platform has due work, asked of each lane's index. */
const HAS_DUE = LANE_NAMES.map(
  (lane) =>
    `EXISTS (SELECT 1 FROM jobs WHERE platform_id = p.id AND due_at <= ${TIME_OF_PLATFORM} AND ${IS_OF[lane]})`,
).join(' OR ')

/** Claims are in real time, `$1`. The rows are found, locked and changed by their ids: whatever the plan, few are read. */
const claimOf = (ids: string, where: string) => `
UPDATE jobs SET attempts = attempts + 1, claimed_until = $1::timestamptz + interval '1 second' * CASE
    WHEN ${IS_OF.messages} THEN ${LANES.messages.claimSeconds}
    WHEN ${IS_OF.webhooks} THEN ${LANES.webhooks.claimSeconds} ELSE ${LANES.main.claimSeconds} END
WHERE id = ANY (ARRAY(SELECT id FROM jobs WHERE id = ANY (${ids}) AND ${where} FOR UPDATE SKIP LOCKED))
RETURNING *`

const CLAIM = `
WITH platform AS (
  SELECT p.id, ${TIME_OF_PLATFORM} AS now FROM platforms p
  WHERE p.closed_at IS NULL AND (${HAS_DUE})),
due AS (${earliest('main', '$2')} UNION ALL ${earliest('messages', '$3')} UNION ALL ${earliest('webhooks', '$4')})
${claimOf('ARRAY(SELECT id FROM due)', IS_FREE)}`

/** Claims what is due now and claimed by nobody, earliest first, so many of each lane at most. */
export async function claimDue(app: App, room: Readonly<Record<LaneName, number>>): Promise<DueJob[]> {
  return claim(app, CLAIM, [app.clock(), room.main, room.messages, room.webhooks])
}

/** By the time of the platform `$2`. */
const IS_DUE = `platform_id = $2
  AND due_at <= (SELECT ${TIME_OF_PLATFORM} FROM platforms p WHERE p.id = $2 AND p.closed_at IS NULL)`
const CLAIM_OF = claimOf('$3::text[]', `${IS_DUE} AND ${IS_FREE}`)

/** Claims what of these jobs of one platform is still due and claimed by nobody. */
export async function claimDueOf(app: App, platformId: string, ids: readonly string[]): Promise<DueJob[]> {
  return claim(app, CLAIM_OF, [app.clock(), platformId, ids])
}

async function claim(app: App, sql: string, parameters: readonly unknown[]): Promise<DueJob[]> {
  const { rows } = await app.db.query<JobRow>(sql, parameters, { isBrief: true })
  return Promise.all(
    rows.sort(byTime).map(async (job) => {
      const platform = (await app.lookup(PLATFORM_BY_ID, job.platform_id))!
      return { ...job, attempts: job.attempts - 1, platform }
    }),
  )
}

/** Frees what processes that are no more have claimed. For a database that one process has to itself. */
export async function releaseClaims(app: App): Promise<void> {
  await app.db.query('UPDATE jobs SET claimed_until = NULL WHERE claimed_until IS NOT NULL')
}

/** Lanes whose work is done in a platform's own time. */
const lanesWith = (withWebhooks: boolean) => LANE_NAMES.filter((lane) => withWebhooks || lane !== 'webhooks')

/** What is due of one platform, claimed or not, earliest first. */
export async function selectDueOf(
  app: App,
  platformId: string,
  limit: number,
  withWebhooks: boolean,
): Promise<Pick<JobRow, 'id' | 'kind'>[]> {
  const ofLanes = lanesWith(withWebhooks).map(
    (lane) => `(SELECT id, kind, due_at FROM jobs WHERE ${IS_DUE} AND ${IS_OF[lane]}
       ORDER BY due_at, id LIMIT $3)`,
  )
  const { rows } = await app.db.query<Pick<JobRow, 'id' | 'kind'>>(
    `SELECT id, kind FROM (${ofLanes.join(' UNION ALL ')}) AS j ORDER BY due_at, id LIMIT $3`,
    [app.clock(), platformId, limit],
  )
  return rows
}

/** When the next work of a platform falls due, not later than `until`. */
export async function selectNextDue(
  app: App,
  platformId: string,
  until: Date,
  withWebhooks: boolean,
): Promise<Date | undefined> {
  const ofLanes = lanesWith(withWebhooks).map(
    (lane) => `(SELECT due_at FROM jobs WHERE platform_id = p.id AND due_at <= $2 AND ${IS_OF[lane]}
       ORDER BY due_at LIMIT 1)`,
  )
  const { rows } = await app.db.query<{ due_at: Date }>(
    `SELECT j.due_at FROM platforms p CROSS JOIN LATERAL (${ofLanes.join(' UNION ALL ')}) AS j
     WHERE p.id = $1 AND p.closed_at IS NULL ORDER BY j.due_at LIMIT 1`,
    [platformId, until],
  )
  return rows[0]?.due_at
}

export async function selectJobExists(app: App, id: string): Promise<boolean> {
  return (
    (await app.read.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  )
}

function byTime(one: JobRow, other: JobRow): number {
  return one.due_at.getTime() - other.due_at.getTime() || (one.id < other.id ? -1 : 1)
}
