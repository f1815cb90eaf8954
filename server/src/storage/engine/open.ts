import { ConfigError } from '../../base/settings/config-error.ts'
import { DEFAULT_SCHEMA } from '../../base/settings/database-schema.ts'
import { openEmbedded } from './embedded.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

/** Opens PostgreSQL at `databaseUrl`, or else the embedded database in `dataDir`. Throws a one-line error. */
export async function openDatabase(options: {
  databaseUrl?: string | undefined
  dataDir: string
  /** The PostgreSQL schema. The embedded database has just the default one. */
  databaseSchema?: string
  /** False disables prepared statements. By default they are used until a connection pooler loses one. */
  preparesStatements?: boolean
}): Promise<Database> {
  const { databaseUrl, databaseSchema: schema = DEFAULT_SCHEMA } = options
  if (databaseUrl) return openPostgres(databaseUrl, { prepares: options.preparesStatements ?? true, schema })
  if (schema !== DEFAULT_SCHEMA)
    throw new ConfigError('DATABASE_SCHEMA requires DATABASE_URL: the embedded database has one schema.')
  return openEmbedded(options.dataDir)
}
