import type { Database } from '../../storage/engine/port.ts'
import { type Archiving, findArchiving } from './backup-store.ts'

/** The maximum acceptable time without an archived log segment. */
const SILENCE_MS_MAX = 24 * 3600 * 1000

/** Problems with the archiving of PostgreSQL's log, which point-in-time recovery requires. */
export async function checkArchiving(db: Database, now: Date): Promise<string[]> {
  return listFindings(await findArchiving(db), now)
}

function listFindings(archiving: Archiving, now: Date): string[] {
  const { wal_level, archive_mode, has_command, last_archived_at, last_failed_at, last_failed } = archiving
  if (wal_level === 'minimal')
    return ['wal_level is minimal: PostgreSQL cannot be backed up while it runs. Set it to replica.']
  if (archive_mode === 'off')
    return ['archive_mode is off: the log is not archived, so point-in-time recovery is impossible.']
  if (has_command === false)
    return ['neither archive_command nor archive_library is set, so nothing is archived.']
  if (last_failed_at && (!last_archived_at || last_failed_at > last_archived_at))
    return [`archiving the log segment ${last_failed} failed at ${last_failed_at.toISOString()}.`]
  if (!last_archived_at) return ['no log segment has been archived yet.']
  if (now.getTime() - last_archived_at.getTime() > SILENCE_MS_MAX)
    return [`no log segment has been archived since ${last_archived_at.toISOString()}. Set archive_timeout.`]
  return []
}
