import { openDatabase } from '../db/engine/open.ts'
import { migrate } from '../db/schema/migrate.ts'
import { rotateMasterKey } from '../enclave/data-keys.ts'
import { findOrMakeMasterKey, replaceMasterKey } from '../enclave/master-key.ts'
import { type App, machineClock } from '../op/app.ts'
import { baseUrlOf } from '../service/first-platform.ts'
import { openService } from '../service/service.ts'
import type { Config } from '../settings/config.ts'
import { ROTATE, readCommand } from './arguments.ts'
import { askServer } from './socket.ts'

/**
 * The operator's commands (`commands.ts`), run on the database itself; where a server runs on the embedded database, by
 * that server. `master-key rotate` reports what was done, and needs the embedded database to itself. Returns what the program
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
 * Rotates from COUNTERSIGN_MASTER_KEY, or the data directory's key, to COUNTERSIGN_NEW_MASTER_KEY. The database comes first:
 * if the process dies in between, the operator already has the new key.
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
