import { type App, machineClock } from '../app.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/open.ts'
import { migrate } from '../db/schema/migrate.ts'
import { rotateMasterKey } from '../enclave/data-keys.ts'
import { findOrMakeMasterKey, replaceMasterKey } from '../enclave/master-key.ts'

import { baseUrlOf } from '../first-platform.ts'
import { openService } from '../service.ts'
import { ROTATE, readCommand } from './arguments.ts'
import { askServer } from './socket.ts'

/**
 * The operator's commands (`commands.ts`), run on the database itself; where a server runs on the embedded database, by
 * that server. `master-key rotate` says what was done, and needs the embedded database to itself. Gives what the program
 * prints as JSON. Throws an error of one line.
 */
export async function runAdmin(config: Config, args: readonly string[]): Promise<object> {
  if (args.join(' ') === ROTATE) return rotate(config)
  readCommand(args)
  const answer = config.databaseUrl ? undefined : await askServer(config.dataDir, args)
  if (answer) return answer
  const service = await openService(config)
  try {
    return await runCommand(service.app, args, baseUrlOf(config.host, config.port))
  } finally {
    await service.close()
  }
}

/** Runs a command on this service. Throws an error of one line. */
export async function runCommand(app: App, args: readonly string[], baseUrl: string): Promise<object> {
  const { command, values } = readCommand(args)
  return command.run(app, values, baseUrl)
}

/**
 * From COUNTERSIGN_MASTER_KEY, or the data directory's key, to COUNTERSIGN_NEW_MASTER_KEY. The database comes first:
 * whatever happens in between, the new key is the operator's already.
 */
async function rotate(config: Config): Promise<{ readonly rotated: true }> {
  if (!config.newMasterKey)
    throw new Error('COUNTERSIGN_NEW_MASTER_KEY is required: 32 random bytes as 64 hex digits')
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
