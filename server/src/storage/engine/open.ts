import { ConfigError } from '../../base/settings/config-error.ts'
import { DEFAULT_SCHEMA } from '../../base/settings/database-schema.ts'
import { openEmbedded } from './embedded.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

/** Opens PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`. Throws a one-line error. */
export async function openDatabase(options: {
  databaseUrl?: string | undefined
  dataDir: string
  /** The schema of PostgreSQL. The embedded database has one. */
  databaseSchema?: string
  /** False: statements are never prepared. By default they are, until a pooler loses one. */
  preparesStatements?: boolean
}): Promise<Database> {
  const { databaseUrl, databaseSchema: schema = DEFAULT_SCHEMA } = options
  if (databaseUrl) return openPostgres(databaseUrl, { prepares: options.preparesStatements ?? true, schema })
  if (schema !== DEFAULT_SCHEMA)
    throw new ConfigError('DATABASE_SCHEMA requires DATABASE_URL: the embedded database has one schema')
  return openEmbedded(options.dataDir)
}
