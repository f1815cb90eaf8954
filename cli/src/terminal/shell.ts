import { Countersign, toJson } from '@countersign/sdk'
import type { Command } from 'commander'
import { atBaseUrl, readCredentials } from './credentials.ts'

/** What the commands of a platform share: the client, and the output of the result. */
export interface Shell {
  readonly countersign: Countersign
  readonly baseUrl: string
  readonly isJson: boolean
}

/** The options of every command. */
export interface ShellOptions {
  readonly credentials?: string
  readonly baseUrl?: string
  readonly json?: boolean
}

/** Adds the options of every command. */
export function withShellOptions(command: Command): Command {
  return command
    .option(
      '--credentials <file>',
      'JSON with baseUrl, tokenId, clientSecret (default: credentials.json in the data directory)',
    )
    .option('--base-url <url>', 'base address of the server, in place of the one in the credentials')
    .option('--json', 'print JSON')
}

export async function openShell({ credentials, baseUrl, json }: ShellOptions): Promise<Shell> {
  const found = await readCredentials(credentials)
  const used = atBaseUrl(found, baseUrl ?? found.baseUrl)
  return { countersign: new Countersign(used), baseUrl: used.baseUrl, isJson: json ?? false }
}

/** Prints the result: the answer as JSON, or in words. */
export function say({ isJson }: Shell, answer: unknown, lines: readonly string[]): void {
  process.stdout.write(isJson ? `${toJson(answer)}\n` : `${lines.join('\n')}\n`)
}
