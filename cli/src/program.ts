import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { addAdminCommands } from './admin/commands.ts'
import { addAgentCommands } from './agents/commands.ts'
import { addBookCommands } from './books/commands.ts'
import { addCardCommands } from './cards/commands.ts'
import { addCompletion } from './completion.ts'
import { runServerInProcess } from './connection/server-program.ts'
import { findCredentials, type ShellOptions } from './connection/shell.ts'
import { addCustomerCommands } from './customers/commands.ts'
import { runChainDemo } from './demo/chain-demo.ts'
import { runDemo } from './demo/demo.ts'
import { addDoctorCommand } from './doctor/commands.ts'
import { addEventCommands } from './events/commands.ts'
import { arrangeHelp, formatTerm } from './help.ts'
import { addLogCommands } from './logs/commands.ts'
import { addMcpCommand } from './mcp/commands.ts'
import { addMemberCommands, addRoleCommands } from './members/commands.ts'
import { addOwnMoneyCommands } from './own-money/commands.ts'
import { addPayoutCommands } from './payouts/commands.ts'
import { addProfileCommands } from './profiles/commands.ts'
import { addRecordCommands } from './records/commands.ts'
import { addSandboxCommands } from './sandbox/commands.ts'
import { addScheduleCommands } from './schedules/commands.ts'
import { writeError, writeUsageError } from './terminal/errors.ts'
import { type Io, io, withIo } from './terminal/io.ts'

const FAILED = 1
const USAGE = 2

/** Runs a command. Returns the exit code: 0 for success, 1 for a failure, 2 for incorrect usage. */
export function main(args: readonly string[], replacementIo: Io = process): Promise<number> {
  // AsyncLocalStorage slows down every await, which matters for a server that runs in this process.
  return replacementIo === process ? runCommand(args) : withIo(replacementIo, () => runCommand(args))
}

async function runCommand(args: readonly string[]): Promise<number> {
  let exitCode = 0
  const isJson = args.includes('--json')
  const program = createProgram(isJson, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // commander has already printed this error. Help and version also end this way, with exit code 0.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      if (isJson) writeUsageError(error.message)
      return USAGE
    }
    writeError(error, isJson)
    return FAILED
  }
}

function createProgram(isJson: boolean, done: (exitCode: number) => void): Command {
  const program = new Command('countersign')
    .description('A self-hosted payments platform with embedded wallets.')
    .version(readVersion(), '--version', 'print the version')
    .showHelpAfterError('(see: countersign --help)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false, subcommandTerm: formatTerm })
    .addOption(
      new Option('--profile <name>', 'the credentials stored by countersign login, for any command').env(
        'COUNTERSIGN_PROFILE',
      ),
    )
    .hook('preAction', (root, command) => {
      for (const source of [root, command]) readEnvironment(source)
      const { profile } = root.opts<{ profile?: string }>()
      if (profile) command.setOptionValue('profile', profile)
    })
  program.configureOutput({
    writeOut: (text) => void io().stdout.write(text),
    // With --json, standard error gets a single JSON object and nothing else.
    writeErr: (text) => void (isJson || io().stderr.write(text)),
  })

  // In the order of the help.
  addProfileCommands(program)
  addRecordCommands(program, done)
  addCustomerCommands(program)
  addPayoutCommands(program)
  addScheduleCommands(program)
  addOwnMoneyCommands(program)
  addCardCommands(program)
  addAgentCommands(program)
  addMemberCommands(program, done)
  addRoleCommands(program)
  addBookCommands(program)
  addDemo(program)
  addSandboxCommands(program)
  addEventCommands(program)
  addLogCommands(program)
  addMcpCommand(program)
  addDoctorCommand(program, done)
  addServe(program, done)
  addAdminCommands(program, done)
  // These must come last, because they read the commands added so far.
  addCompletion(program)
  arrangeHelp(program)
  return program
}

/** Reads options from `io().env`, because commander itself only reads `process.env`. */
function readEnvironment(command: Command): void {
  for (const option of command.options) {
    const value = option.envVar === undefined ? undefined : io().env[option.envVar]
    const name = option.attributeName()
    if (value && command.getOptionValueSource(name) !== 'cli')
      command.setOptionValueWithSource(name, value, 'env')
  }
}

/** The source and the compiled program are both one folder below package.json. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function addServe(program: Command, done: (exitCode: number) => void): void {
  program
    .command('serve')
    .description('start the server; settings come from the environment (docs/operations.md)')
    .action(async () => done(await runServerInProcess()))
}

function addDemo(program: Command): void {
  program
    .command('demo')
    .description('make a payment from sign-in to settlement, step by step, in a running sandbox')
    .option(
      '--credentials <file>',
      'JSON with baseUrl, tokenId, clientSecret (default: credentials.json in the data directory)',
    )
    .option('--base-url <url>', 'base URL of the server, instead of the one in the credentials')
    .option(
      '--chain <rpc>',
      'pay from wallet to wallet on the chain of this node, which the sandbox must use too',
    )
    .action(async ({ chain, ...options }: ShellOptions & { chain?: string }) => {
      const at = await findCredentials(options)
      await (chain === undefined ? runDemo(at) : runChainDemo(at, chain))
    })
}
