import type { Database } from '@countersign/server/storage/engine/port'

export interface Kind {
  name: string
  rm: string
  type: string
  n: number
  bytes: number
}
export async function lsn(db: Database): Promise<string> {
  await db.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect')
  return (await db.query<{ l: string }>('SELECT pg_current_wal_flush_lsn()::text AS l')).rows[0]!.l
}
export async function between(db: Database, from: string, to: string): Promise<Kind[]> {
  const { rows } = await db.query<Kind>(
    `
  SELECT coalesce(c.relname, '-') AS name, resource_manager AS rm, record_type AS type, count(*)::int AS n,
    sum(record_length - fpi_length)::int AS bytes
  FROM pg_get_wal_records_info($1, $2) AS w
  LEFT JOIN pg_class c ON c.relfilenode = (regexp_match(w.block_ref, 'rel [0-9]+/[0-9]+/([0-9]+)'))[1]::oid
  GROUP BY 1, 2, 3 ORDER BY 5 DESC`,
    [from, to],
  )
  return rows
}
