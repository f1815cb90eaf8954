import { resolve } from 'node:path'
import { moveToPostgres } from '../backups/move.ts'
import { restoreBackup } from '../backups/restore.ts'
import { openDatabase } from '../db/engine/open.ts'
import { migrate } from '../db/schema/migrate.ts'
import { rotateMasterKey } from '../enclave/data-keys.ts'
import { findOrMakeMasterKey, replaceMasterKey } from '../enclave/master-key.ts'
import { machineClock } from '../op/app.ts'
import type { Config } from '../settings/config.ts'
import type { CommandForm, Values } from './commands.ts'
import { checkDatabaseIsThere } from './database-there.ts'

/** A command that works without a service: on keys or databases that no service can be opened with. */
export interface OfflineCommand extends CommandForm {
  /** Returns what the program prints as JSON. Throws an error of one line. */
  run(config: Config, values: Values): Promise<object>
}

/** Commands by name. */
export const OFFLINE_COMMANDS: Readonly<Record<string, OfflineCommand>> = {
  'master-key rotate': {
    usage: 'master-key rotate',
    options: {},
    required: [],
    run: (config) => rotate(config),
  },
  'backup restore': {
    usage: 'backup restore --from FOLDER',
    options: { from: { type: 'string' } },
    required: ['from'],
    run: (config, { from }) => restoreBackup(config, resolve(String(from))),
  },
  'database move': {
    usage: 'database move --from DATA-DIRECTORY [--to URL]',
    options: { from: { type: 'string' }, to: { type: 'string' } },
    required: ['from'],
    run: (config, { from, to }) => {
      const url = to === undefined ? config.databaseUrl : String(to)
      if (url === undefined) throw new Error('--to or DATABASE_URL is required: where the database goes')
      return moveToPostgres(config, resolve(String(from)), url)
    },
  },
}

/**
 * Rotates from COUNTERSIGN_MASTER_KEY, or the data directory's key, to COUNTERSIGN_NEW_MASTER_KEY. The database comes first:
 * if the process dies in between, the operator already has the new key.
 */
async function rotate(config: Config): Promise<{ readonly rotated: true }> {
  if (!config.newMasterKey)
    throw new Error('COUNTERSIGN_NEW_MASTER_KEY is required: 32 random bytes as 64 hex digits')
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
