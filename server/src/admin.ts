import { parseArgs } from 'node:util'
import { PERMISSIONS, type Permission } from '@countersign/contract/endpoint'
import type { Config } from './config.ts'
import { baseUrlOf, type Credentials, createPlatform, createToken } from './first-platform.ts'
import { openService } from './service.ts'

const USAGE =
  'usage: platform create --name NAME | token create --platform ID --name NAME [--permissions VIEW,TRANSACT,MANAGE]'

/**
 * The operator's commands, run on the database itself: `platform create` and `token create`. Gives the new
 * credentials. Throws an error of one line. The embedded database must not be in use by a server.
 */
export async function runAdmin(
  config: Config,
  args: readonly string[],
): Promise<Credentials & { readonly baseUrl: string }> {
  const { positionals, values } = readArguments(args)
  const command = positionals.join(' ')
  if (!values.name || (command !== 'platform create' && command !== 'token create')) throw new Error(USAGE)
  if (command === 'token create' && !values.platform) throw new Error(USAGE)
  const permissions = readPermissions(values.permissions ?? PERMISSIONS.join(','))
  const service = await openService(config)
  try {
    const credentials =
      command === 'platform create'
        ? await createPlatform(service.app, values.name)
        : await createToken(service.app, values.platform!, values.name, permissions)
    return { ...credentials, baseUrl: baseUrlOf(config.host, config.port) }
  } finally {
    await service.close()
  }
}

function readArguments(args: readonly string[]) {
  const options = {
    name: { type: 'string' },
    platform: { type: 'string' },
    permissions: { type: 'string' },
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
