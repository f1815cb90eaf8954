import { Countersign, type CredentialsSource, toJson } from '@countersign/sdk'
import type { Command } from 'commander'
import { io } from '../terminal/io.ts'
import { atBaseUrl, type Credentials, readCredentials } from './credentials.ts'

/** The client and the output settings, shared by the commands of a platform. */
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
    .option('--base-url <url>', 'base address of the server, in place of the one in the credentials')
    .option('--json', 'print JSON')
}

/** The credentials of a command, for the address that it names. Throws Failure. */
export async function credentialsOf({ baseUrl, ...source }: ShellOptions): Promise<Credentials> {
  const found = readCredentials(source)
  return atBaseUrl(found, baseUrl ?? found.baseUrl)
}

export async function openShell(options: ShellOptions): Promise<Shell> {
  const used = await credentialsOf(options)
  return { countersign: new Countersign(used), baseUrl: used.baseUrl, isJson: options.json ?? false }
}

/** Prints the result: the response as JSON, or in words. */
export function say({ isJson }: Shell, answer: unknown, lines: readonly string[]): void {
  io().stdout.write(isJson ? `${toJson(answer)}\n` : `${lines.join('\n')}\n`)
}
