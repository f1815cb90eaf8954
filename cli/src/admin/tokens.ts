import { tableOf } from '../terminal/table.ts'
import { ask } from './ask-server.ts'
import { createCredentials } from './new-credentials.ts'

interface Token {
  readonly id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly createdAt: string
}

/** `countersign token create`: returns the exit code. */
export async function createToken(options: {
  platform: string
  name: string
  permissions: readonly string[]
  json?: boolean
}): Promise<number> {
  const permissions = options.permissions.join(',')
  const { platform, name } = options
  const args = ['token', 'create', '--platform', platform, '--name', name, '--permissions', permissions]
  return createCredentials(args, options.json ?? false)
}

/** `countersign token list`: returns the exit code. */
export async function listTokens(options: { platform: string; json?: boolean }): Promise<number> {
  const args = ['token', 'list', '--platform', options.platform]
  return ask(args, options.json ?? false, ({ data }: { readonly data: readonly Token[] }) =>
    tableOf(
      data.map(({ id, name, permissions, createdAt }) => [id, createdAt, permissions.join(','), name]),
      'Platform not found, or it has no tokens.',
    ),
  )
}

/** `countersign token revoke`: returns the exit code. */
export async function revokeToken(token: string, options: { json?: boolean }): Promise<number> {
  return ask(
    ['token', 'revoke', '--token', token],
    options.json ?? false,
    ({ revoked }: { readonly revoked: string }) => `${revoked} has been revoked.\n`,
  )
}
