import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'

/** The status of log archiving as PostgreSQL reports it. */
export interface Archiving {
  readonly wal_level: string
  readonly archive_mode: string
  /** Null if the role may not read the setting. */
  readonly has_command: boolean | null
  readonly last_archived_at: Date | null
  readonly last_failed_at: Date | null
  /** The last log segment that could not be archived. */
  readonly last_failed: string | null
}

const ARCHIVING = `
SELECT current_setting('wal_level') AS wal_level, current_setting('archive_mode') AS archive_mode,
  (SELECT bool_or(setting NOT IN ('', '(disabled)')) FROM pg_settings
   WHERE name IN ('archive_command', 'archive_library')) AS has_command,
  last_archived_time AS last_archived_at, last_failed_time AS last_failed_at, last_failed_wal AS last_failed
FROM pg_stat_archiver`

export async function findArchiving(db: Database): Promise<Archiving> {
  const { rows } = await db.query<Archiving>(ARCHIVING)
  return getOnlyRow(rows)
}
