import { Countersign, type CredentialsSource, toJson } from '@countersign/sdk'
import type { Command } from 'commander'
import { io } from '../terminal/io.ts'
import { atBaseUrl, type Credentials, readCredentials } from './credentials.ts'

/** The client and the output settings of a command that calls a platform. */
export interface Shell {
  readonly countersign: Countersign
  readonly baseUrl: string
  readonly isJson: boolean
}

/** The options of every command. `profile` is an option of the program itself. */
export interface ShellOptions extends CredentialsSource {
  readonly baseUrl?: string | undefined
  readonly json?: boolean
}

/** Adds the options of every command. */
export function withShellOptions(command: Command): Command {
  return command
    .option(
      '--credentials <file>',
      'JSON with baseUrl, tokenId, clientSecret (default: credentials.json in the data directory)',
    )
    .option('--base-url <url>', 'base URL of the server, instead of the one in the credentials')
    .option('--json', 'print JSON')
}

/** Finds the credentials of a command, with their address replaced by `--base-url`. Throws Failure. */
export async function findCredentials({ baseUrl, ...source }: ShellOptions): Promise<Credentials> {
  const found = readCredentials(source)
  return atBaseUrl(found, baseUrl ?? found.baseUrl)
}

export async function openShell(options: ShellOptions): Promise<Shell> {
  const credentials = await findCredentials(options)
  return {
    countersign: new Countersign(credentials),
    baseUrl: credentials.baseUrl,
    isJson: options.json ?? false,
  }
}

/** Prints a result: with --json as JSON, otherwise as lines of text. */
export function printResult({ isJson }: Shell, result: unknown, lines: readonly string[]): void {
  io().stdout.write(isJson ? `${toJson(result)}\n` : `${lines.join('\n')}\n`)
}
