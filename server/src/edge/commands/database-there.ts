import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'

/**
 * Throws a one-line error unless the database exists. Only a server creates the embedded database, on its
 * first start: a command run without the server's settings would otherwise create a new one and use that.
 */
export function checkDatabaseIsThere({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return
  throw new Error(
    `${dataDir} has no database: run this with the settings of the server, such as DATABASE_URL, or start the server first`,
  )
}
