import type { Config } from '../../base/settings/config.ts'
import type { App } from '../../kernel/operation/app.ts'
import { getPublicBasePath } from '../../kernel/operation/base-path.ts'
import { formatBaseUrl } from '../service/first-platform.ts'
import { readCommand, readOffline } from './arguments.ts'
import { ADMIN_COMMANDS } from './commands.ts'
import { checkDatabaseIsThere } from './database-there.ts'
import { callServer } from './socket.ts'

/**
 * Runs an operator command (`commands.ts`), either directly on the database or in the server that has the
 * embedded database open. Commands of `offline-commands.ts` need no service. Returns the value to print as
 * JSON. Throws a one-line error.
 */
export async function runAdmin(config: Config, args: readonly string[]): Promise<object> {
  const offline = readOffline(args)
  if (offline) {
    const { OFFLINE_COMMANDS } = await import('./offline-commands.ts')
    return OFFLINE_COMMANDS[offline.name](config, offline.values)
  }
  readCommand(args)
  const result = config.databaseUrl ? undefined : await callServer(config.dataDir, args)
  if (result) return result
  checkDatabaseIsThere(config)
  const { openService } = await import('../service/service.ts')
  const service = await openService(config)
  try {
    return await runCommand(service.app, args, formatBaseUrl(config.host, config.port, config.pathPrefix))
  } finally {
    await service.close()
  }
}

/** Runs a command in this service, which listens at `baseUrl`. Throws a one-line error. */
export async function runCommand(app: App, args: readonly string[], baseUrl: string): Promise<object> {
  const { name, values } = readCommand(args)
  const { publicUrl } = app.config
  const address = publicUrl === undefined ? baseUrl : publicUrl + getPublicBasePath(app.config)
  return ADMIN_COMMANDS[name](app, values, address)
}
