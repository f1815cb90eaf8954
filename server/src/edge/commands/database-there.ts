import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'

/**
 * Throws a one-line error if the database does not exist. Only a server's first start may create it, because
 * a command without the server's settings would otherwise create and use a new one.
 */
export function checkDatabaseIsThere({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'db'))) return
  throw new Error(
    `${dataDir} has no database. Run this command with the server's settings, such as DATABASE_URL, or start the server first.`,
  )
}
