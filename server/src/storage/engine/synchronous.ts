import type { Database } from './port.ts'
import { getOnlyRow } from './port.ts'

interface Settings {
  readonly commit: string
  readonly names: string
  /**
   * The number of connected standbys. A user without pg_monitor sees them, but not whether they are
   * synchronous.
   */
  readonly standbys: number
  readonly hidden: number
  readonly synchronous: number
}

/** Standbys listed under `ANY` in `synchronous_standby_names` have the state `quorum`. */
const SETTINGS = `
  SELECT current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS names,
    count(pid)::int AS standbys, (count(pid) - count(sync_state))::int AS hidden,
    (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::int AS synchronous
  FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`

/** Values of synchronous_commit with which commits are acknowledged before they reach a standby. */
const UNREPLICATED_COMMITS = ['off', 'local']

/**
 * Returns a warning if PostgreSQL has standbys but acknowledges commits before they reach one, because a
 * failover would then lose acknowledged writes. Undefined if commits wait for a standby, or if there are no
 * standbys.
 */
export async function describeFailoverLoss(db: Database): Promise<string | undefined> {
  if (db.kind === 'embedded') return undefined
  const { rows } = await db.query<Settings>(SETTINGS)
  const { commit, names, standbys, hidden: unknownCount, synchronous } = getOnlyRow(rows)
  if (names !== '' && UNREPLICATED_COMMITS.includes(commit))
    return `synchronous_commit is ${commit}, so commits do not wait for the standbys of synchronous_standby_names: a failover loses the last acknowledged writes`
  if (standbys > 0 && unknownCount === 0 && synchronous === 0)
    return `PostgreSQL has ${standbys} standby${standbys === 1 ? '' : 's'}, none of them synchronous: a failover loses the last acknowledged writes`
  return undefined
}
