import type { App } from '../op/app.ts'
import { BASE_PATH } from '../op/base-path.ts'
import { baseUrlOf } from '../service/first-platform.ts'
import { openService } from '../service/service.ts'
import type { Config } from '../settings/config.ts'
import { readCommand, readOffline } from './arguments.ts'
import { checkDatabaseIsThere } from './database-there.ts'
import { askServer } from './socket.ts'

/**
 * The operator's commands (`commands.ts`), run on the database itself; where a server runs on the embedded database, by
 * that server. Those of `offline-commands.ts` need no service. Returns what the program prints as JSON. Throws an error of one
 * line.
 */
export async function runAdmin(config: Config, args: readonly string[]): Promise<object> {
  const offline = readOffline(args)
  if (offline) return offline.command.run(config, offline.values)
  readCommand(args)
  const answer = config.databaseUrl ? undefined : await askServer(config.dataDir, args)
  if (answer) return answer
  checkDatabaseIsThere(config)
  const service = await openService(config)
  try {
    return await runCommand(service.app, args, baseUrlOf(config.host, config.port))
  } finally {
    await service.close()
  }
}

/** Runs a command on this service, which listens at `baseUrl`. Throws an error of one line. */
export async function runCommand(app: App, args: readonly string[], baseUrl: string): Promise<object> {
  const { command, values } = readCommand(args)
  const { publicUrl } = app.config
  return command.run(app, values, publicUrl === undefined ? baseUrl : publicUrl + BASE_PATH)
}
