import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'

/**
 * Checks that there is a database for a command to work on: the embedded one is made by the first start of a server alone, or a command that was
 * called without the server's settings would work on a new one that nobody uses. Throws an error of one line.
 */
export function checkDatabaseIsThere({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return
  throw new Error(
    `${dataDir} has no database: call this with the settings of the server, such as DATABASE_URL, or start the server first`,
  )
}
