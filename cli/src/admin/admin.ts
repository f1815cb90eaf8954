import { PERMISSIONS } from '@countersign/contract/core/endpoint'
import { Failure } from '../terminal/failure.ts'
import { tableOf } from '../terminal/table.ts'
import { ask } from './ask.ts'

interface NewCredentials {
  readonly platformId?: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly baseUrl: string
}

interface Listed<T> {
  readonly data: readonly T[]
}

interface Platform {
  readonly id: string
  readonly name: string
  readonly isRegulated: boolean
  readonly createdAt: string
}

interface Token {
  readonly id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly createdAt: string
}

/** `countersign platform create`: gives the exit code. */
export async function createPlatform(options: {
  name: string
  regulated?: boolean
  json?: boolean
}): Promise<number> {
  const args = ['platform', 'create', '--name', options.name, ...(options.regulated ? ['--regulated'] : [])]
  return create(args, options.json ?? false)
}

/** `countersign token create`: gives the exit code. */
export async function createToken(options: {
  platform: string
  name: string
  permissions: readonly string[]
  json?: boolean
}): Promise<number> {
  const permissions = options.permissions.join(',')
  const { platform, name } = options
  const args = ['token', 'create', '--platform', platform, '--name', name, '--permissions', permissions]
  return create(args, options.json ?? false)
}

/** `countersign platform list`: gives the exit code. */
export async function listPlatforms(options: { json?: boolean }): Promise<number> {
  return ask(['platform', 'list'], options.json ?? false, ({ data }: Listed<Platform>) =>
    tableOf(
      data.map(({ id, name, isRegulated, createdAt }) => [
        id,
        createdAt,
        isRegulated ? 'regulated' : '',
        name,
      ]),
      'There is no platform yet: platform create --name NAME',
    ),
  )
}

/** `countersign token list`: gives the exit code. */
export async function listTokens(options: { platform: string; json?: boolean }): Promise<number> {
  const args = ['token', 'list', '--platform', options.platform]
  return ask(args, options.json ?? false, ({ data }: Listed<Token>) =>
    tableOf(
      data.map(({ id, name, permissions, createdAt }) => [id, createdAt, permissions.join(','), name]),
      'No such platform, or it has no tokens.',
    ),
  )
}

/** `countersign token revoke`: gives the exit code. */
export async function revokeToken(token: string, options: { json?: boolean }): Promise<number> {
  return ask(
    ['token', 'revoke', '--token', token],
    options.json ?? false,
    ({ revoked }: { readonly revoked: string }) => `${revoked} has been revoked.\n`,
  )
}

/** `countersign wallet unlock`: gives the exit code. */
export async function unlockWallet(account: string, options: { json?: boolean }): Promise<number> {
  return ask(
    ['wallet', 'unlock', '--account', account],
    options.json ?? false,
    ({ unlocked }: { readonly unlocked: string }) => `Sign-in by code to ${unlocked} is unlocked.\n`,
  )
}

/** Reads `VIEW,TRANSACT`. Throws Failure for an unknown permission. */
export function readPermissions(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !PERMISSIONS.some((permission) => permission === word))
  if (unknown !== undefined)
    throw new Failure(`--permissions takes ${PERMISSIONS.join(', ')}, separated by commas; not "${unknown}".`)
  return words
}

async function create(args: readonly string[], isJson: boolean): Promise<number> {
  return ask(args, isJson, credentialsInWords)
}

function credentialsInWords({ platformId, tokenId, clientSecret, baseUrl }: NewCredentials): string {
  const rows = [
    ...(platformId ? [['Platform', platformId]] : []),
    ['Token id', tokenId],
    ['Client secret', clientSecret],
    ['Base address', baseUrl],
  ]
  return [
    ...rows.map(([name, value]) => `${name!.padEnd(15)}${value}`),
    '',
    'The secret is not stored and not shown again. Use the two as user name and password:',
    `  curl -u "${tokenId}:$CLIENT_SECRET" ${baseUrl}/config`,
    '',
  ].join('\n')
}
