import type { Database } from '../../storage/engine/port.ts'
import type { ReportedCount } from './request-counts.ts'

/** Writes this server's counts, and reads other servers' counts for the same callers. */
const EXCHANGE = `
WITH told AS (
  INSERT INTO request_counts (caller, window_number, server, count, expires_at)
  SELECT caller, window_number, $1, count, $5 FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS t (caller, window_number, count)
  ON CONFLICT (caller, window_number, server) DO UPDATE SET count = excluded.count)
SELECT caller AS key, window_number AS "window", sum(count)::bigint AS count
FROM request_counts WHERE caller = ANY ($2) AND window_number = ANY ($3) AND server <> $1 GROUP BY 1, 2`

interface CountRow {
  readonly key: string
  readonly window: bigint
  readonly count: bigint
}

export async function exchangeCounts(
  db: Database,
  server: string,
  reports: readonly ReportedCount[],
  expiresAt: Date,
): Promise<ReportedCount[]> {
  const { rows } = await db.query<CountRow>(EXCHANGE, [
    server,
    reports.map(({ key }) => key),
    reports.map(({ window }) => window),
    reports.map(({ count }) => count),
    expiresAt,
  ])
  return rows.map(({ key, window, count }) => ({ key, window: Number(window), count: Number(count) }))
}
