import { openEmbedded } from './embedded.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

/** PostgreSQL at `databaseUrl`, or without one the embedded database in `dataDir`. */
export async function openDatabase(options: {
  databaseUrl?: string | undefined
  dataDir: string
  /** Whether statements are prepared; without it until a pooler loses one. */
  preparesStatements?: boolean
}): Promise<Database> {
  return options.databaseUrl
    ? openPostgres(options.databaseUrl, { prepares: options.preparesStatements ?? true })
    : openEmbedded(options.dataDir)
}
