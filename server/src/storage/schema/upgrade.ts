import { VERSION } from '../../base/settings/version.ts'
import type { Database } from '../engine/port.ts'
import { migrate } from './migrate.ts'

/** The progress of a database's upgrade to this build. */
export interface UpgradeStatus {
  /** Steps left for `upgrade finish`. */
  readonly stepsLeft: readonly string[]
  /** Connected servers of other releases, by the names they report. */
  readonly otherServers: readonly string[]
}

/** Returns the progress of the upgrade. Startup has already applied every step except the last ones. */
export async function findUpgradeStatus(db: Database): Promise<UpgradeStatus> {
  return { stepsLeft: await migrate(db), otherServers: await findOtherServers(db) }
}

/**
 * Applies the last steps, after which servers of the previous release can no longer use the database. Returns
 * their names. Throws a one-line error if such servers are connected, unless `isForced`.
 */
export async function finishUpgrade(db: Database, isForced: boolean): Promise<readonly string[]> {
  const { stepsLeft, otherServers } = await findUpgradeStatus(db)
  if (stepsLeft.length === 0) return []
  if (otherServers.length > 0 && !isForced)
    throw new Error(
      `servers of another release are connected (${otherServers.join(', ')}): stop them first, or pass --force if none of them is a server`,
    )
  await migrate(db, { isLast: true })
  return stepsLeft
}

async function findOtherServers(db: Database): Promise<readonly string[]> {
  if (db.kind === 'embedded') return []
  const { rows } = await db.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND split_part(application_name, ' ', 1) = 'countersign'
      AND split_part(application_name, ' ', 2) <> $1 AND split_part(application_name, ' ', 3) IN ('', current_schema())
    ORDER BY 1`,
    [VERSION],
  )
  return rows.map(({ name }) => name)
}
