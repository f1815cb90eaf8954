import type { Database } from './port.ts'
import { onlyRow } from './port.ts'

interface Settings {
  readonly commit: string
  readonly names: string
  /** Of the standbys that are connected. A user without pg_monitor sees them, but not whether they are synchronous. */
  readonly standbys: number
  readonly hidden: number
  readonly synchronous: number
}

/** `quorum` is what ANY of `synchronous_standby_names` makes of a standby. */
const SETTINGS = `
  SELECT current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS names,
    count(pid)::int AS standbys, (count(pid) - count(sync_state))::int AS hidden,
    (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::int AS synchronous
  FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'`

/** These acknowledge a commit before a standby has it. */
const NOT_WAITING = ['off', 'local']

/**
 * What to say where PostgreSQL has standbys, but acknowledges commits that none of them has: a failover then loses what was
 * answered. Undefined where commits wait, or where there are no standbys.
 */
export async function lossAtFailover(db: Database): Promise<string | undefined> {
  if (db.kind === 'embedded') return undefined
  const { rows } = await db.query<Settings>(SETTINGS)
  const { commit, names, standbys, hidden, synchronous } = onlyRow(rows)
  if (names !== '' && NOT_WAITING.includes(commit))
    return `synchronous_commit is ${commit}, so commits do not wait for the standbys of synchronous_standby_names: a failover loses what was answered last`
  if (standbys > 0 && hidden === 0 && synchronous === 0)
    return `PostgreSQL has ${standbys} standby${standbys === 1 ? '' : 's'}, none of them synchronous: a failover loses what was answered last`
  return undefined
}
