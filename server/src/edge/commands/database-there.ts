import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'

/**
 * Checks that a database exists: only the first start of a server creates the embedded one. Otherwise a
 * command without the server's settings would create and use a new one. Throws a one-line error.
 */
export function checkDatabaseIsThere({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return
  throw new Error(
    `${dataDir} has no database: run this with the settings of the server, such as DATABASE_URL, or start the server first`,
  )
}
