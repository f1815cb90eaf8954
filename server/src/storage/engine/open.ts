import { openEmbedded } from './embedded.ts'
import type { Database } from './port.ts'
import { openPostgres } from './postgres.ts'

/** Opens PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`. */
export async function openDatabase(options: {
  databaseUrl?: string | undefined
  dataDir: string
  /** False: statements are never prepared. By default they are, until a pooler loses one. */
  preparesStatements?: boolean
}): Promise<Database> {
  return options.databaseUrl
    ? openPostgres(options.databaseUrl, { prepares: options.preparesStatements ?? true })
    : openEmbedded(options.dataDir)
}
