import { resolve } from 'node:path'
import type { OfflineCommand } from '@countersign/contract/operation/operator-commands'
import type { Config } from '../../base/settings/config.ts'
import { rotateMasterKey } from '../../kernel/enclave/data-keys.ts'
import { findOrMakeMasterKey, replaceMasterKey } from '../../kernel/enclave/master-key.ts'
import { machineClock } from '../../kernel/operation/app.ts'
import { openDatabase } from '../../storage/engine/open.ts'
import { migrate } from '../../storage/schema/migrate.ts'
import { moveToPostgres } from '../backups/move-to-postgres.ts'
import { restoreBackup } from '../backups/restore.ts'
import { checkDatabaseIsThere } from './database-there.ts'
import type { Values } from './forms.ts'

/**
 * Implementations of commands that need no service. They return the value to print as JSON, or throw a
 * one-line error.
 */
export const OFFLINE_COMMANDS: Readonly<
  Record<OfflineCommand, (config: Config, values: Values) => Promise<object>>
> = {
  'master-key rotate': (config) => rotate(config),
  'backup restore': (config, { from }) => restoreBackup(config, resolve(String(from))),
  'database move': (config, { from, to }) => {
    const url = to === undefined ? config.databaseUrl : String(to)
    if (url === undefined) throw new Error('The target of the move is missing. Set --to or DATABASE_URL.')
    return moveToPostgres(config, resolve(String(from)), url)
  },
}

/**
 * Rotates the master key from COUNTERSIGN_MASTER_KEY, or the data directory's key, to
 * COUNTERSIGN_NEW_MASTER_KEY. The database is changed first, because the operator already has the new key if
 * the process dies.
 */
async function rotate(config: Config): Promise<{ readonly rotated: true }> {
  if (!config.newMasterKey)
    throw new Error('COUNTERSIGN_NEW_MASTER_KEY is not set. It must be 32 random bytes as 64 hex digits.')
  checkDatabaseIsThere(config)
  const db = await openDatabase(config)
  try {
    await migrate(db)
    await rotateMasterKey(
      db,
      config.masterKey ?? (await findOrMakeMasterKey(config.dataDir)),
      config.newMasterKey,
      machineClock(),
    )
  } finally {
    await db.close()
  }
  if (!config.masterKey) await replaceMasterKey(config.dataDir, config.newMasterKey)
  return { rotated: true }
}
