import { ask } from './ask-server.ts'

interface NewCredentials {
  readonly platformId?: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly baseUrl: string
}

/** Runs a command of the server that makes a token, and shows it. Returns the exit code. */
export async function createCredentials(args: readonly string[], isJson: boolean): Promise<number> {
  return ask(args, isJson, describeCredentials)
}

function describeCredentials({ platformId, tokenId, clientSecret, baseUrl }: NewCredentials): string {
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
