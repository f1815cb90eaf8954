import type { Config } from '../../base/settings/config.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import type { App } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import type { Database } from '../../storage/engine/port.ts'
import { openPostgres } from '../../storage/engine/postgres.ts'
import { OtherDatabase, Replica } from '../../storage/read/replica.ts'
import { traceDatabase } from '../observability/traced-database.ts'

/** If the standby takes longer, the primary serves the read. */
const RESPONSE_MS_MAX = 5_000
/** The retry interval for a standby that could not be reached at startup. */
const RETRY_MS = 5_000

const NOT_USED = 'standby of DATABASE_READ_URL is unavailable: reading from the primary'

/**
 * Opens the configured standby, if any. An unreachable standby is retried later. Throws ConfigError if it is
 * a copy of another database.
 */
export async function openReplica(
  db: Database,
  { databaseReadUrl: url, databaseSchema: schema, preparesStatements: prepares }: Config,
  metrics: App['metrics'],
  log: App['log'],
  tracing: App['tracing'],
): Promise<Replica | undefined> {
  if (url === undefined) return undefined
  const open = async () => {
    const standby = await openPostgres(url, {
      prepares,
      schema,
      responseTimeoutMs: RESPONSE_MS_MAX,
      setting: 'DATABASE_READ_URL',
    })
    return tracing ? traceDatabase(standby, tracing) : standby
  }
  const logFailure = (error: unknown) => log.warn({ err: error }, NOT_USED)
  const replica = new Replica(db, open, { count: metrics.replicaRead, onFailure: logFailure })
  try {
    await replica.connect()
  } catch (error) {
    if (error instanceof OtherDatabase) throw new ConfigError(error.message)
    logFailure(error)
  }
  return replica
}

export function startReplicaChecks({ replica, log }: App): Background[] {
  if (!replica) return []
  return [
    runInBackground(
      RETRY_MS,
      () => replica.connect(),
      (error) => log.debug({ err: error }, NOT_USED),
    ),
  ]
}
