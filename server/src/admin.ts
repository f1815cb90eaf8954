import { parseArgs } from 'node:util'
import { PERMISSIONS, type Permission } from '@countersign/contract/endpoint'
import type { Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { findOrMakeMasterKey, replaceMasterKey } from './enclave/master-key.ts'
import { rotateMasterKey } from './enclave/rotate.ts'
import { baseUrlOf, type Credentials, createPlatform, createToken } from './first-platform.ts'
import { openService } from './service.ts'

const USAGE =
  'usage: platform create --name NAME [--regulated] | token create --platform ID --name NAME [--permissions VIEW,TRANSACT,MANAGE]' +
  ' | master-key rotate'

/**
 * The operator's commands, run on the database itself: `platform create` and `token create` give the new credentials,
 * `master-key rotate` says what was done. Throws an error of one line. The embedded database must not be in use by a
 * server.
 */
export async function runAdmin(
  config: Config,
  args: readonly string[],
): Promise<(Credentials & { readonly baseUrl: string }) | { readonly rotated: true }> {
  const { positionals, values } = readArguments(args)
  const command = positionals.join(' ')
  if (command === 'master-key rotate') return rotate(config)
  if (!values.name || (command !== 'platform create' && command !== 'token create')) throw new Error(USAGE)
  if (command === 'token create' && !values.platform) throw new Error(USAGE)
  const permissions = readPermissions(values.permissions ?? PERMISSIONS.join(','))
  const service = await openService(config)
  try {
    const credentials =
      command === 'platform create'
        ? await createPlatform(service.app, values.name, values.regulated)
        : await createToken(service.app, values.platform!, values.name, permissions)
    return { ...credentials, baseUrl: baseUrlOf(config.host, config.port) }
  } finally {
    await service.close()
  }
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
    )
  } finally {
    await db.close()
  }
  if (!config.masterKey) await replaceMasterKey(config.dataDir, config.newMasterKey)
  return { rotated: true }
}

function readArguments(args: readonly string[]) {
  const options = {
    name: { type: 'string' },
    platform: { type: 'string' },
    permissions: { type: 'string' },
    regulated: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new Error(`${(error as Error).message} (${USAGE})`)
  }
}

function readPermissions(text: string): Permission[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.filter((word) => !PERMISSIONS.some((permission) => permission === word))
  if (unknown.length > 0)
    throw new Error(`--permissions takes ${PERMISSIONS.join(', ')}, not ${unknown.join(', ')}`)
  return words as Permission[]
}
