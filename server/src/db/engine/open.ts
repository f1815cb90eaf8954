import { openEmbedded } from './embedded.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

/** PostgreSQL at `databaseUrl`, or without one the embedded database in `dataDir`. */
export async function openDatabase(options: {
  databaseUrl?: string | undefined
  dataDir: string
}): Promise<Database> {
  return options.databaseUrl ? openPostgres(options.databaseUrl) : openEmbedded(options.dataDir)
}
