import { Countersign, type CredentialsSource, toJson } from '@countersign/sdk'
import type { Command } from 'commander'
import { io } from '../terminal/io.ts'
import { type Credentials, readCredentials, withBaseUrl } from './credentials.ts'

/** The API client and output settings of a command. */
export interface Shell {
  readonly countersign: Countersign
  readonly baseUrl: string
  readonly isJson: boolean
}

/** The options that every command has. `profile` is an option of the program itself. */
export interface ShellOptions extends CredentialsSource {
  readonly baseUrl?: string | undefined
  readonly json?: boolean
}

/** Adds the options that every command has. */
export function withShellOptions(command: Command): Command {
  return command
    .option(
      '--credentials <file>',
      'JSON with baseUrl, tokenId, clientSecret (default: credentials.json in the data directory)',
    )
    .option('--base-url <url>', 'base URL of the server, instead of the one in the credentials')
    .option('--json', 'print JSON')
}

/** Finds the credentials for a command. `--base-url` overrides their address. Throws Failure. */
export async function findCredentials({ baseUrl, ...source }: ShellOptions): Promise<Credentials> {
  const credentials = readCredentials(source)
  return withBaseUrl(credentials, baseUrl ?? credentials.baseUrl)
}

export async function openShell(options: ShellOptions): Promise<Shell> {
  const credentials = await findCredentials(options)
  return {
    countersign: new Countersign(credentials),
    baseUrl: credentials.baseUrl,
    isJson: options.json ?? false,
  }
}

/** Prints a result: as JSON with --json, otherwise as lines of text. */
export function printResult({ isJson }: Shell, result: unknown, lines: readonly string[]): void {
  io().stdout.write(isJson ? `${toJson(result)}\n` : `${lines.join('\n')}\n`)
}

/** Reads every page of a list and prints it as `toLines` says, or `none` if it is empty. */
export async function printList<Item>(
  shell: Shell,
  list: AsyncIterable<Item>,
  toLines: (items: readonly Item[]) => readonly string[],
  none: string,
): Promise<void> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  printResult(shell, items, items.length > 0 ? toLines(items) : [none])
}
