#!/usr/bin/env node
import { ConnectionError, CountersignError } from '@countersign/sdk'
import { Command, CommanderError, Option } from 'commander'
import { addAdminCommands } from './admin/commands.ts'
import { addAgentCommands } from './agents/commands.ts'
import { addBookCommands } from './books/commands.ts'
import { addCardCommands } from './cards/commands.ts'
import { addCustomerCommands } from './customers/commands.ts'
import { runChainDemo } from './demo/chain-demo.ts'
import { runDemo } from './demo/demo.ts'
import { serveMcp } from './mcp/server.ts'
import type { McpOptions } from './mcp/token.ts'
import { atBaseUrl, readCredentials } from './terminal/credentials.ts'
import { Failure } from './terminal/failure.ts'
import { runServerProgram } from './terminal/server-program.ts'

const FAILED = 1
const USAGE = 2

process.exitCode = await main(process.argv.slice(2))

/** Returns the exit code: 0, 1 for a failure, 2 for wrong usage. */
async function main(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const program = createProgram((code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // commander has already printed the error. Help and version end this way too, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
    process.stderr.write(`${explain(error)}\n`)
    return FAILED
  }
}

function createProgram(done: (exitCode: number) => void): Command {
  const program = new Command('countersign')
    .description('A self-hosted payments platform with embedded wallets.')
    .showHelpAfterError('(see: countersign --help)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })

  addServe(program, done)
  addDemo(program)
  addAdminCommands(program, done)
  addAgentCommands(program)
  addMcp(program)
  addCardCommands(program)
  addCustomerCommands(program)
  addBookCommands(program)
  return program
}

function addServe(program: Command, done: (exitCode: number) => void): void {
  program
    .command('serve')
    .description('start the server; settings come from the environment (docs/operations.md)')
    .action(async () => done((await runServerProgram([], { captures: false })).exitCode))
}

function addDemo(program: Command): void {
  program
    .command('demo')
    .description('a payment from sign-in to settlement, step by step, against a running sandbox')
    .option(
      '--credentials <file>',
      'JSON with baseUrl, tokenId, clientSecret (default: credentials.json in the data directory)',
    )
    .option('--base-url <url>', 'base address of the server, in place of the one in the credentials')
    .option(
      '--chain <rpc>',
      'a wallet pays a wallet on the chain of this node, which the sandbox has as well',
    )
    .action(
      async ({ credentials, baseUrl, chain }: { credentials?: string; baseUrl?: string; chain?: string }) => {
        const found = await readCredentials(credentials)
        const at = atBaseUrl(found, baseUrl ?? found.baseUrl)
        await (chain === undefined ? runDemo(at) : runChainDemo(at, chain))
      },
    )
}

function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('tools for an AI agent: a Model Context Protocol server over standard input and output')
    .addOption(
      new Option(
        '--base-url <url>',
        'base address of the server (default: http://127.0.0.1:8787/2025-10-13)',
      ).env('COUNTERSIGN_BASE_URL'),
    )
    .addOption(
      new Option('--code <code>', 'a device code: redeemed once, its token is stored').env(
        'COUNTERSIGN_DEVICE_CODE',
      ),
    )
    .addOption(
      new Option('--token-file <file>', 'file for the token (default: agent.json in the data directory)').env(
        'COUNTERSIGN_AGENT_TOKEN_FILE',
      ),
    )
    .addHelpText('after', '\nCOUNTERSIGN_AGENT_TOKEN: the token itself, in place of a code and a file.')
    .action(async (options: Omit<McpOptions, 'token'>) => {
      const token = process.env.COUNTERSIGN_AGENT_TOKEN
      await serveMcp({ ...options, ...(token ? { token } : {}) })
    })
}

/** A failure that a person can fix is one line. Anything else is a fault of this program, with its stack. */
function explain(error: unknown): string {
  if (error instanceof Failure) return error.message
  if (error instanceof ConnectionError)
    return `${error.message} Start a server in another terminal: npm start`
  if (error instanceof CountersignError) {
    const { status, code, message, reason } = error
    return `The server refused: ${status} ${code}: ${reason && reason !== message ? `${message} (${reason})` : message}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
