import { PERMISSIONS } from '@countersign/contract/endpoint'
import { Failure } from './failure.ts'
import { runServerProgram } from './server-program.ts'

interface NewCredentials {
  readonly platformId?: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly baseUrl: string
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

/** Reads `VIEW,TRANSACT`. Throws Failure for a word that is no permission. */
export function readPermissions(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !PERMISSIONS.some((permission) => permission === word))
  if (unknown !== undefined)
    throw new Failure(`--permissions takes ${PERMISSIONS.join(', ')}, separated by commas; not "${unknown}".`)
  return words
}

/** The server's program makes the records, on the database itself, and says on standard error what went wrong. */
async function create(args: readonly string[], isJson: boolean): Promise<number> {
  const { exitCode, output } = await runServerProgram(args, { captures: true })
  if (exitCode !== 0) return exitCode
  const credentials = JSON.parse(output) as NewCredentials
  process.stdout.write(isJson ? `${JSON.stringify(credentials)}\n` : inWords(credentials))
  return 0
}

function inWords({ platformId, tokenId, clientSecret, baseUrl }: NewCredentials): string {
  const rows = [
    ...(platformId ? [['Platform', platformId]] : []),
    ['Token id', tokenId],
    ['Client secret', clientSecret],
    ['Base address', baseUrl],
  ]
  return [
    ...rows.map(([name, value]) => `${name!.padEnd(15)}${value}`),
    '',
    'The secret is not stored and not shown again. Both together are user name and password:',
    `  curl -u "${tokenId}:$CLIENT_SECRET" ${baseUrl}/config`,
    '',
  ].join('\n')
}
